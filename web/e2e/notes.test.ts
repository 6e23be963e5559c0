/** Notes: written down, found again, changed, moved, removed, played as a tour; and a damaged file told in words. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { barriers } from "./harness/axe";
import { Heddle } from "./harness/heddle";
import { open, type Visit } from "./harness/visit";

const heddle = new Heddle();
afterAll(() => heddle.end());

/** The overview of a trace of its own, on as many servers as asked for, and the file of its notes. */
async function served(name: string): Promise<{ url: string; another: () => Promise<string>; file: string }> {
  const trace = await heddle.simulate(name, ["--ranks", "4", "--iterations", "10"]);
  const another = async () => `${(await heddle.serve(["open", trace])).url}&v=1&trace=${name}&layout=overview`;
  return { url: await another(), another, file: join(heddle.folder, `${name}.notes.json`) };
}

const kept = (file: string): { id: string; name: string; text: string; view: string }[] =>
  JSON.parse(readFileSync(file, "utf8")).notes;

const focus = (visit: Visit) =>
  visit.page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset.testid);

async function add(visit: Visit, name: string, text: string): Promise<void> {
  const before = await visit.get("note").count();
  await visit.page.keyboard.press("b");
  // One can type at once.
  await expect.poll(() => focus(visit)).toBe("note-name");
  await visit.page.keyboard.type(name);
  await visit.get("note-text").fill(text);
  await visit.get("note-save").click();
  await expect.poll(() => visit.get("note-dialog").count()).toBe(0);
  await expect.poll(() => visit.get("note").count()).toBe(before + 1);
}

const listed = (visit: Visit) => visit.get("note-open").locator("b").allInnerTexts();

it("keep a view with its words, and open it again after a reload, by a click and by a link", async () => {
  const { url, file } = await served("kept");
  const visit = await open({ url });
  await visit.drawn();
  expect(await visit.get("note").count()).toBe(0);
  expect(existsSync(file)).toBe(false);
  await visit.page.keyboard.press("w");
  const time = await visit.changed("time", null);
  await visit.drawn();
  const name = "<img src=x onerror=alert(1)> wide";
  await add(visit, name, "All ranks `compute`.");
  const [note] = kept(file);
  expect(note).toMatchObject({ name, text: "All ranks `compute`." });
  expect(new URLSearchParams(note?.view).get("time")).toBe(time);
  expect(note?.view).not.toContain("trace=");
  expect(await visit.get("notes").locator("img").count()).toBe(0);

  await visit.page.keyboard.press("0");
  await expect.poll(() => visit.field("time")).toBeNull();
  await visit.page.reload();
  await visit.drawn();
  await expect.poll(() => listed(visit)).toEqual([name]);
  await visit.get("note-open").click();
  await expect.poll(() => visit.field("time")).toBe(time);
  expect(await visit.get("tour").count()).toBe(0);

  // The link brings the words along.
  await visit.page.keyboard.press("0");
  await expect.poll(() => visit.field("time")).toBeNull();
  await visit.page.goto(`${visit.origin}/#${note?.view}&trace=kept&note=${note?.id}`);
  await expect.poll(() => visit.get("tour").locator("h3").innerText()).toBe(name);
  expect(await visit.get("tour").locator("p").innerText()).toBe("All ranks compute.");
  await visit.drawn();
  expect(await visit.field("time")).toBe(time);
});

it("are changed, moved and deleted, and play as a tour in their order", async () => {
  const { url, file } = await served("tour");
  const visit = await open({ url });
  await visit.drawn();
  await add(visit, "one", "First.");
  await visit.page.keyboard.press("w");
  await visit.changed("time", null);
  await add(visit, "two", "Second.");
  await visit.page.keyboard.press("w");
  await visit.drawn();
  await add(visit, "three", "Third.");
  expect(await listed(visit)).toEqual(["one", "two", "three"]);

  await visit.get("note").nth(2).hover();
  await visit.get("note-up").nth(2).click();
  await expect.poll(() => listed(visit)).toEqual(["one", "three", "two"]);
  await visit.get("note").nth(0).hover();
  await visit.get("note-edit").nth(0).click();
  await visit.get("note-name").fill("uno");
  await visit.page.keyboard.press("Enter");
  await expect.poll(() => listed(visit)).toEqual(["uno", "three", "two"]);
  expect(kept(file).map(({ name }) => name)).toEqual(["uno", "three", "two"]);
  // Its view stays its own.
  expect(new URLSearchParams(kept(file)[0]?.view).get("time")).toBeNull();

  await visit.get("notes-play").click();
  const isAt = async (at: string, title: string) => {
    await expect.poll(() => visit.get("tour-at").innerText()).toBe(at);
    expect(await visit.get("tour").locator("h3").innerText()).toBe(title);
  };
  await isAt("1 of 3", "uno");
  expect(await visit.field("time")).toBeNull();
  await visit.page.keyboard.press("n");
  await isAt("2 of 3", "three");
  await visit.get("tour-next").click();
  await isAt("3 of 3", "two");
  await visit.page.goBack();
  await isAt("2 of 3", "three");
  await visit.get("tour-next").focus();
  await visit.page.keyboard.press("Escape");
  await expect.poll(() => visit.get("tour").count()).toBe(0);
  expect(await focus(visit)).toBe("notes-play");

  await visit.get("note").nth(1).hover();
  await visit.get("note-delete").nth(1).click();
  await visit.get("note-keep").click();
  expect(await listed(visit)).toEqual(["uno", "three", "two"]);
  await visit.get("note").nth(1).hover();
  await visit.get("note-delete").nth(1).click();
  await visit.get("note-delete-sure").click();
  await expect.poll(() => listed(visit)).toEqual(["uno", "two"]);
  expect(kept(file).map(({ name }) => name)).toEqual(["uno", "two"]);
  await visit.drawn();
  expect(await barriers(visit)).toEqual([]);
});

it("of two people on two servers are all there", async () => {
  const { url, another, file } = await served("shared");
  const [one, two] = [await open({ url }), await open({ url: await another() })];
  await one.drawn();
  await two.drawn();
  await add(one, "mine", "");
  await two.page.keyboard.press("b");
  await two.get("note-name").fill("yours");
  await two.page.keyboard.press("Enter");
  await expect.poll(() => listed(two)).toEqual(["mine", "yours"]);
  expect(kept(file).map(({ name }) => name)).toEqual(["mine", "yours"]);
  // The first sees it on coming back to the page.
  await one.page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await expect.poll(() => listed(one)).toEqual(["mine", "yours"]);
});

it("say in words that their file is damaged, and leave it alone", async () => {
  const { url, file } = await served("damaged");
  const damaged = '{\n  "format": "heddle-notes",\n  "version": 1,\n  "notes": [ {';
  writeFileSync(file, damaged);
  const visit = await open({ url });
  visit.expectFault(/409/);
  await visit.drawn();
  await expect.poll(() => visit.get("notes-problem").innerText()).toContain("damaged.notes.json");
  expect(await visit.get("notes-problem").innerText()).toMatch(/line 4, column \d+/);
  await visit.page.keyboard.press("b");
  await visit.get("note-name").fill("more");
  await visit.get("note-save").click();
  await expect.poll(() => visit.get("note-problem").innerText()).toContain("repair it, or move it away");
  // What one typed is not lost.
  expect(await visit.get("note-name").inputValue()).toBe("more");
  expect(readFileSync(file, "utf8")).toBe(damaged);
  writeFileSync(file, '{"format": "heddle-notes", "version": 1, "notes": []}');
  await visit.get("note-save").click();
  await expect.poll(() => listed(visit)).toEqual(["more"]);
  expect(await visit.get("notes-problem").count()).toBe(0);
});
