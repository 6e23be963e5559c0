import { expect, it } from "vitest";
import { likeness, similar } from "./similar";

const NAMES = ["MPI_Send", "MPI_Recv", "MPI_Allreduce", "MPI_Waitall", "stencil", "std::vector<int>::push_back"];

it("finds what was meant by a slip of the fingers, with or without its prefix", () => {
  expect(similar("mpi_alreduce", NAMES, 3)[0]).toBe("MPI_Allreduce");
  expect(similar("allredcue", NAMES, 3)[0]).toBe("MPI_Allreduce");
  expect(similar("stensil", NAMES, 3)).toEqual(["stencil"]);
  expect(similar("witall", NAMES, 1)).toEqual(["MPI_Waitall"]);
});

it("suggests nothing for what is like nothing", () => {
  for (const text of ["", "x", "quux", "¿?"]) expect(similar(text, NAMES, 3), text).toEqual([]);
});

it("counts every pair of letters once", () => {
  expect(likeness("aaaa", "aa")).toBe(0.5);
  expect(likeness("MPI_Send", "mpi send")).toBe(1);
});
