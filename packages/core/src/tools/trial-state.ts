import type { StateChange } from "../transcript/state-change.js";
import { isRecord } from "../values/json.js";

/** The state of one trial, shared by its tools. Values are never changed in place, so a reader may keep them. */
export interface TrialState {
  readonly values: Readonly<Record<string, unknown>>;
  /** Sets the value at the path; mappings on the way are made. Null when it was that value already. */
  set(path: readonly string[], value: unknown): StateChange | null;
}

export function createTrialState(initial: Readonly<Record<string, unknown>>): TrialState {
  let values: Readonly<Record<string, unknown>> = initial;
  return {
    get values() {
      return values;
    },
    set(path, value) {
      const from = valueAt(values, path);
      if (JSON.stringify(from) === JSON.stringify(value)) return null;
      values = replaced(values, path, value);
      return { path: path.join("."), ...(from === undefined ? {} : { from }), to: value };
    },
  };
}

/** The value at the path; undefined where there is none. A step into a list is the position of an element. */
export function valueAt(values: unknown, path: readonly string[]): unknown {
  let current = values;
  for (const step of path) {
    if (Array.isArray(current)) current = /^\d+$/.test(step) ? current[Number(step)] : undefined;
    else current = isRecord(current) && Object.hasOwn(current, step) ? current[step] : undefined;
  }
  return current;
}

function replaced(
  values: Readonly<Record<string, unknown>>,
  path: readonly string[],
  value: unknown,
): Readonly<Record<string, unknown>> {
  const [step, ...rest] = path;
  if (step === undefined) return values;
  const copy: Record<string, unknown> = { ...values };
  put(
    copy,
    step,
    rest.length === 0 ? value : replacedWithin(Object.hasOwn(values, step) ? values[step] : {}, rest, value),
  );
  return copy;
}

function replacedWithin(container: unknown, path: readonly string[], value: unknown): unknown {
  const [step = "", ...rest] = path;
  if (!Array.isArray(container) || !/^\d+$/.test(step) || Number(step) > container.length) {
    return replaced(isRecord(container) ? container : {}, path, value);
  }
  const items: readonly unknown[] = container;
  const copy = [...items];
  copy[Number(step)] = rest.length === 0 ? value : replacedWithin(copy[Number(step)], rest, value);
  return copy;
}

/** Assigning to `__proto__` would set the prototype instead of a key. */
function put(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}
