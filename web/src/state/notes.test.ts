import { beforeEach, describe, expect, it, vi } from "vitest";
import { place, startHistory } from "./history";
import { noteLink, notes, openNote, placeOfNote, playNotes, viewNow } from "./notes";
import { closeTour, hasWandered, moveStop, played, stopIndex } from "./tour";
import "./views-for-tests";

const entries: string[] = [];

function arrive(hash: string): void {
  vi.stubGlobal("window", {
    location: { origin: "http://localhost:7700", pathname: "/", hash },
    history: {
      state: null,
      pushState: (_state: unknown, _title: string, to: string) => entries.push(to),
      replaceState: () => {},
    },
    addEventListener: () => {},
  });
  startHistory();
}

const FIRST = { id: "aa", name: "a", text: "One.", view: "v=1&time=0:50" };
const SECOND = { id: "bb", name: "b", text: "", view: "v=1&layout=logical&steps=3:9" };

describe("notes", () => {
  beforeEach(() => {
    entries.length = 0;
    arrive("#v=1&trace=t1&time=7:70&stop=2");
    notes.value = { notes: [FIRST, SECOND], file: "", is_beside: true };
  });

  it("keep the view and neither the trace nor the stop of a tour", () => {
    expect(viewNow()).toBe("v=1&time=7:70");
    expect(noteLink(FIRST)).toBe("http://localhost:7700/#v=1&trace=t1&time=0:50&note=aa");
    openNote(SECOND);
    expect(entries).toEqual(["#v=1&trace=t1&layout=logical&steps=3:9"]);
    expect(viewNow()).toBe(SECOND.view);
  });

  it("lead to the trace on the page and nowhere else, whatever they say", () => {
    for (const view of ["https://evil.example/", "javascript:alert(1)", "v=1&trace=other", "v=9&time=0:9"]) {
      expect(placeOfNote({ ...FIRST, view }).trace).toBe("t1");
      expect(noteLink({ ...FIRST, view })).toMatch(/^http:\/\/localhost:7700\/#v=1&trace=t1&/);
    }
  });

  it("play as a tour, in their order, and close without a change of the view", () => {
    playNotes();
    expect([stopIndex.value, played.value?.stops.length, hasWandered.value]).toEqual([0, 2, false]);
    moveStop(1);
    moveStop(1);
    expect(entries.at(-1)).toBe("#v=1&trace=t1&layout=logical&steps=3:9&note=bb");
    expect(played.value?.stops[stopIndex.value ?? -1]).toEqual({ title: "b", text: "", view: SECOND.view });
    // Known by its id: another order changes its number and not the note.
    notes.value = { notes: [SECOND, FIRST], file: "", is_beside: true };
    expect(stopIndex.value).toBe(0);
    openNote(FIRST);
    expect([stopIndex.value, place.value.note]).toEqual([1, "aa"]);
    closeTour();
    expect(entries.at(-1)).toBe("#v=1&trace=t1&time=0:50");
    expect(stopIndex.value).toBeNull();
  });

  it("show no words for a note that is not there, and still the view", () => {
    arrive("#v=1&trace=t1&time=7:70&note=zz");
    expect([stopIndex.value, place.value.time]).toEqual([null, [7, 70]]);
    arrive("#v=1&trace=t1&time=7:70&note=Z%2F");
    expect(place.value.note).toBeNull();
  });
});
