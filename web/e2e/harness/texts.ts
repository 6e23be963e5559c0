/**
 * Every text that can be seen on a page, and whether it can be read: no two texts may overlap, and none may be cut off.
 *
 * Texts of elements are measured as the browser laid them out. Texts on canvases are taken down while they are drawn, with
 * what clips them. Names out of a trace may be of any length: they may be shortened where their tooltip has them in full.
 */
import type { BrowserContext } from "playwright-core";
import type { Visit } from "./visit";

/** Takes down what is written on canvases. To be called before a page is opened. */
export async function recordTexts(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    type Box = { left: number; top: number; right: number; bottom: number };
    type State = { clip: Box | null; path: Box | null; stack: (Box | null)[] };
    const states = new WeakMap<CanvasRenderingContext2D, State>();
    const stateOf = (context: CanvasRenderingContext2D): State => {
      const state = states.get(context) ?? { clip: null, path: null, stack: [] };
      states.set(context, state);
      return state;
    };
    const written = new WeakMap<HTMLCanvasElement, { text: string; box: Box; clip: Box | null }[]>();
    Object.assign(window, { textsOnCanvas: (canvas: HTMLCanvasElement) => written.get(canvas) ?? [] });
    /** From the units of the context to pixels of the canvas's box. */
    const placed = (context: CanvasRenderingContext2D, box: Box): Box => {
      const { a, d, e, f } = context.getTransform();
      const ratio = window.devicePixelRatio;
      const across = (x: number) => (x * a + e) / ratio;
      const down = (y: number) => (y * d + f) / ratio;
      return { left: across(box.left), top: down(box.top), right: across(box.right), bottom: down(box.bottom) };
    };
    const kind = CanvasRenderingContext2D.prototype;
    const before = <N extends "save" | "restore" | "beginPath" | "rect" | "clip" | "clearRect" | "fillText">(
      name: N,
      note: (context: CanvasRenderingContext2D, ...given: never[]) => void,
    ) => {
      const original = kind[name] as (...given: unknown[]) => unknown;
      Object.assign(kind, {
        [name](this: CanvasRenderingContext2D, ...given: never[]) {
          note(this, ...given);
          return original.apply(this, given);
        },
      });
    };
    before("save", (context) => {
      const state = stateOf(context);
      state.stack.push(state.clip);
    });
    before("restore", (context) => {
      const state = stateOf(context);
      state.clip = state.stack.pop() ?? null;
    });
    before("beginPath", (context) => {
      stateOf(context).path = null;
    });
    before("rect", (context, x: number, y: number, width: number, height: number) => {
      stateOf(context).path = placed(context, { left: x, top: y, right: x + width, bottom: y + height });
    });
    before("clip", (context) => {
      const state = stateOf(context);
      state.clip = state.path;
    });
    before("clearRect", (context) => {
      if (context.canvas instanceof HTMLCanvasElement) written.set(context.canvas, []);
    });
    before("fillText", (context, text: string, x: number, y: number) => {
      const { canvas } = context;
      if (!(canvas instanceof HTMLCanvasElement) || text === "") return;
      const size = context.measureText(text);
      const box = {
        left: x - size.actualBoundingBoxLeft,
        right: x + size.actualBoundingBoxRight,
        top: y - size.actualBoundingBoxAscent,
        bottom: y + size.actualBoundingBoxDescent,
      };
      const list = written.get(canvas) ?? [];
      list.push({ text, box: placed(context, box), clip: stateOf(context).clip });
      written.set(canvas, list);
    });
  });
}

/** What cannot be read on the page as it is now, in words; nothing if all is well. */
export async function unreadable(visit: Visit): Promise<string[]> {
  await visit.drawn();
  return visit.page.evaluate(() => {
    type Box = { left: number; top: number; right: number; bottom: number };
    type Text = { text: string; box: Box; layer: Element | null; of: Node };
    /** What lies over the rest, with a ground of its own. */
    const LAYERS =
      "dialog, .tooltip, .menu-list, .search-list, .empty-notice, .analysis-notice, .pane-failure, .banner, .drawer > aside";
    /** Where names of the trace, and sentences about it, may be shortened. */
    const NAMES = ".label:not(.length), .trace, .notes, .warn";
    const problems: string[] = [];
    const texts: Text[] = [];
    const short = (text: string) => `“${text.trim().replace(/\s+/g, " ").slice(0, 60)}”`;
    const where = (element: Element) =>
      element.closest("section[aria-label], aside, header, footer, nav, dialog")?.getAttribute("aria-label") ??
      element.closest("header, footer")?.tagName.toLowerCase() ??
      "the page";

    /** The part of a box that its ancestors let through; null if none, "cut" if it is neither whole nor scrolled. */
    const seen = (box: Box, from: Element): Box | "cut" | null => {
      let now = { ...box };
      for (let at: Element | null = from; at !== null; at = at.parentElement) {
        const style = getComputedStyle(at);
        const frame = at.getBoundingClientRect();
        for (const [overflow, low, high] of [
          [style.overflowX, "left", "right"],
          [style.overflowY, "top", "bottom"],
        ] as const) {
          if (overflow === "visible") continue;
          if (now[low] >= frame[high] - 1 || now[high] <= frame[low] + 1) return null;
          const isCut = now[low] < frame[low] - 1 || now[high] > frame[high] + 1;
          if (isCut && overflow === "hidden") return "cut";
          now = { ...now, [low]: Math.max(now[low], frame[low]), [high]: Math.min(now[high], frame[high]) };
        }
        if (style.position === "fixed") break;
      }
      return now;
    };
    const isShortened = (element: Element): Element | null => {
      for (let at: Element | null = element; at !== null; at = at.parentElement) {
        const { textOverflow } = getComputedStyle(at);
        if (textOverflow === "ellipsis" && at.scrollWidth > at.clientWidth) return at;
      }
      return null;
    };
    /** Whether a tooltip has the whole of a shortened text. */
    const isSaid = (element: Element) => {
      const said =
        element.closest("[title]")?.getAttribute("title") ?? element.querySelector("[title]")?.getAttribute("title");
      return element.closest(NAMES) !== null && (said ?? "") !== "";
    };

    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let node = walk.nextNode(); node !== null; node = walk.nextNode()) {
      const element = node.parentElement;
      const text = node.textContent ?? "";
      if (element === null || text.trim() === "" || element.closest("select, script, style") !== null) continue;
      if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      const shortened = isShortened(element);
      if (shortened !== null && !isSaid(shortened)) problems.push(`${short(text)} is shortened in ${where(element)}`);
      range.selectNodeContents(node);
      for (const rect of range.getClientRects()) {
        const inside = seen(rect, element);
        if (inside === "cut" && shortened === null) problems.push(`${short(text)} is cut off in ${where(element)}`);
        if (inside === "cut" || inside === null) continue;
        const layer = element.closest(LAYERS);
        const frame = layer?.getBoundingClientRect();
        if (frame && (inside.left < frame.left - 1 || inside.right > frame.right + 1))
          problems.push(`${short(text)} runs out of its box in ${where(element)}`);
        texts.push({ text, box: inside, layer, of: node });
      }
    }

    const pen = document.createElement("canvas").getContext("2d");
    for (const select of document.querySelectorAll("select")) {
      if (!select.checkVisibility() || pen === null) continue;
      const style = getComputedStyle(select);
      pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
      const arrow = style.appearance === "none" ? 0 : 18;
      const room =
        select.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight) - arrow + 1;
      const text = select.selectedOptions[0]?.textContent ?? "";
      if (pen.measureText(text).width > room && select.title === "")
        problems.push(`${short(text)} is cut off in a list`);
      texts.push({ text, box: select.getBoundingClientRect(), layer: select.closest(LAYERS), of: select });
    }

    for (const input of document.querySelectorAll<HTMLInputElement>("input[placeholder]")) {
      if (!input.checkVisibility() || pen === null || input.value !== "") continue;
      const style = getComputedStyle(input);
      pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
      const room = input.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight) + 1;
      if (pen.measureText(input.placeholder).width > room)
        problems.push(`${short(input.placeholder)} is cut off in a field`);
    }

    const onCanvas = (
      window as unknown as { textsOnCanvas?: (canvas: Element) => { text: string; box: Box; clip: Box | null }[] }
    ).textsOnCanvas;
    for (const canvas of document.querySelectorAll("canvas")) {
      const corner = canvas.getBoundingClientRect();
      const pane = canvas.closest("section")?.getAttribute("aria-label") ?? "a pane";
      const own: Text[] = [];
      for (const { text, box, clip } of onCanvas?.(canvas) ?? []) {
        const edge = clip ?? { left: 0, top: 0, right: corner.width, bottom: corner.height };
        const isCut =
          box.left < edge.left - 1 ||
          box.right > edge.right + 1 ||
          box.top < edge.top - 1 ||
          box.bottom > edge.bottom + 1;
        if (isCut) problems.push(`${short(text)} is cut off on the canvas of ${pane}`);
        // Names are shortened; a number without its end is another number.
        if (/^[\d.,]+…/.test(text)) problems.push(`${short(text)} is shortened on the canvas of ${pane}`);
        own.push({ text, box, layer: null, of: canvas });
      }
      overlaps(own, `on the canvas of ${pane}`, 1);
    }

    /** Texts side by side may touch; from some pixels on they cannot be read. */
    function overlaps(all: Text[], place: string, most: number): void {
      const sorted = [...all].sort((a, b) => a.box.left - b.box.left);
      for (const [i, one] of sorted.entries()) {
        for (const other of sorted.slice(i + 1)) {
          if (other.box.left > one.box.right - most) break;
          if (other.of === one.of && one.of instanceof Text) continue;
          if (one.layer !== other.layer) continue;
          const height = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
          const width = Math.min(one.box.right, other.box.right) - other.box.left;
          if (height > most + 1 && width > most)
            problems.push(`${short(one.text)} lies on ${short(other.text)} ${place}`);
        }
      }
    }
    overlaps(texts, "on the page", 1);
    if (document.documentElement.scrollWidth > window.innerWidth) problems.push("the page is wider than its window");
    return [...new Set(problems)];
  });
}
