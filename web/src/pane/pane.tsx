/**
 * The one generic pane: any view of the server, drawn and navigated.
 *
 * Preact sees only the frame of it. What changes sixty times a second (canvases, attributes) is the controller's, which
 * lives as long as the element does.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { PaneController } from "./controller";
import type { PaneView } from "./pane-view";
import { SpaceController } from "./space-controller";
import "./pane.css";

interface PaneProps {
  id: string;
  view: PaneView;
  frame?: "pane" | "strip";
}

export function Pane({ id, view, frame = "pane" }: PaneProps) {
  const holder = useRef<HTMLDivElement>(null);
  const [controller, setController] = useState<PaneController | SpaceController | null>(null);
  const [broken, setBroken] = useState<string | null>(null);
  useEffect(() => {
    if (holder.current === null) return undefined;
    try {
      const made = view.inSpace
        ? new SpaceController(holder.current, { id, view })
        : new PaneController(holder.current, { id, view, frame });
      setController(made);
      return () => made.dispose();
    } catch (error) {
      setBroken(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }, [id, view, frame]);
  const failure =
    controller?.failure.value ?? (broken === null ? null : { title: "Nothing can be drawn", text: broken });
  return (
    <div class="pane-view">
      <div ref={holder} class="pane-holder" data-testid={frame === "strip" ? "strip-scene" : `pane-${view.name}`} />
      {failure !== null && (
        <div class="pane-failure" role="alert">
          <b>{failure.title}</b>
          <span>{failure.text}</span>
          {controller !== null && (
            <button type="button" onClick={() => controller.retry()}>
              Retry
            </button>
          )}
        </div>
      )}
    </div>
  );
}
