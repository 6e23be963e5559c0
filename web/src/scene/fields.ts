/**
 * Reads fields of a JSON value whose shape nobody vouches for.
 *
 * Every function takes the path of what it reads, so that an error says which field is wrong: a broken scene is then a
 * sentence in the pane and not a picture that is subtly off.
 */

/** A scene that is not what it should be. */
export class SceneError extends Error {
  constructor(what: string) {
    super(`The scene cannot be read: ${what}.`);
    this.name = "SceneError";
  }
}

export type Fields = Record<string, unknown>;

export function asFields(value: unknown, path: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new SceneError(`${path} is not an object`);
  }
  return value as Fields;
}

export function asList(value: unknown, path: string, most: number): unknown[] {
  if (!Array.isArray(value)) throw new SceneError(`${path} is not a list`);
  if (value.length > most) throw new SceneError(`${path} has ${value.length} entries, at most ${most} are allowed`);
  return value;
}

export function asText(value: unknown, path: string): string {
  if (typeof value !== "string") throw new SceneError(`${path} is not text`);
  return value;
}

export function asNumber(value: unknown, path: string): number {
  if (typeof value !== "number" || !Number.isFinite(value)) throw new SceneError(`${path} is not a number`);
  return value;
}

/** A whole number from 0 to `most`. */
export function asCount(value: unknown, path: string, most: number): number {
  const count = asNumber(value, path);
  if (!Number.isInteger(count) || count < 0 || count > most) {
    throw new SceneError(`${path} is ${count}, not a whole number from 0 to ${most}`);
  }
  return count;
}

/** A number that came as text, as all that may pass 2^53 does. */
export function asNumberText(value: unknown, path: string): number {
  const text = asText(value, path);
  if (!/^-?\d{1,20}$/.test(text)) throw new SceneError(`${path} is not a decimal number`);
  return Number(text);
}

/** A number with a fraction that came as text. */
export function asFractionText(value: unknown, path: string): number {
  const text = asText(value, path);
  if (!/^-?\d{1,20}(\.\d{1,400})?$/.test(text)) throw new SceneError(`${path} is not a decimal number`);
  return Number(text);
}

export function asOneOf<T extends string>(value: unknown, path: string, choices: readonly T[]): T {
  const choice = choices.find((each) => each === value);
  if (choice === undefined) throw new SceneError(`${path} is none of ${choices.join(", ")}`);
  return choice;
}
