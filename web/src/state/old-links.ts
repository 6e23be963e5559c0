/**
 * What older links say in other words. Links outlive the program that wrote them: those of the first versions had a
 * rectangle (`brush`) and a phase (`phase`), and a switch for the path of a cause (`path=1`), which is now drawn
 * at once. The rectangle that a call was chosen from was called `within`.
 */

/** The fields of a fragment in the words of today. */
export function modernised(said: URLSearchParams): URLSearchParams {
  const params = new URLSearchParams(said);
  const take = (name: string) => {
    const value = params.get(name);
    params.delete(name);
    return value;
  };
  const [brush, phase, height] = [take("brush"), take("phase"), params.get("y")];
  const selected = brush !== null ? `window:${brush}` : phase !== null ? `phase:${phase}` : null;
  if (selected !== null && !params.has("select")) params.set("select", selected);
  if (height?.startsWith("metric:")) params.set("y", height.replace("metric:", "counter:"));
  // The rectangle that a call was chosen from; an option has that name now.
  const from = params.get("within");
  if (from?.startsWith("window:")) params.set("chosen-from", take("within") ?? "");
  return params;
}
