import { createHook, executionAsyncResource } from "node:async_hooks";
import { nobody, type CodeOwner, type PulseBoard } from "./pulse-board.js";

/** Knows, at every moment, whose code runs, also in timers and after each `await`. */
export interface OwnerTracker {
  /** Runs code in the name of an owner. */
  within<T>(owner: CodeOwner, action: () => T): T;
  current(): CodeOwner;
}

const mark = Symbol("kindlm.owner");

/**
 * Writes the owner of what runs to the board. What hooks cost is paid by the worker alone; `AsyncLocalStorage` would not
 * do, because an endless loop has to be seen from outside.
 */
export function trackOwner(board: PulseBoard): OwnerTracker {
  let owner = nobody;
  const outer: CodeOwner[] = [];
  const enter = (next: CodeOwner): void => {
    if (next === owner) return;
    owner = next;
    // In idle moments the last owner stays on the board: what crashes or blocks there is most likely its doing.
    if (next !== nobody) board.setRunning(next);
  };
  createHook({
    init(_id, _type, _trigger, resource) {
      if (owner !== nobody) Reflect.set(resource, mark, owner);
    },
    before() {
      outer.push(owner);
      enter(ownerOf(executionAsyncResource()));
    },
    after() {
      enter(outer.pop() ?? nobody);
    },
  }).enable();
  return {
    within(next, action) {
      const before = owner;
      enter(next);
      const result = action();
      enter(before);
      return result;
    },
    current: () => {
      const found = ownerOf(executionAsyncResource());
      return found === nobody ? owner : found;
    },
  };
}

function ownerOf(resource: object): CodeOwner {
  const found: unknown = Reflect.get(resource, mark);
  return isOwner(found) ? found : nobody;
}

function isOwner(value: unknown): value is CodeOwner {
  return typeof value === "object" && value !== null;
}
