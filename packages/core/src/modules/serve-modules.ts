import { attempt, attemptSync } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { failure, type Result } from "../result.js";
import { toJsonValue } from "../values/to-json.js";
import type { LoadExport } from "./create-export-loader.js";
import type { ImplementedAction, ModuleScope } from "./module-action.js";
import { moduleFailure, type ModuleFailure } from "./module-failure.js";
import type { FromWorker, ToWorker } from "./module-message.js";
import type { PulseBoard } from "./pulse-board.js";
import type { OwnerTracker } from "./track-owner.js";

/** What the inside of the worker acts through. */
export interface ServingPorts {
  actions: readonly ImplementedAction[];
  loadExport: LoadExport;
  board: PulseBoard;
  tracker: OwnerTracker;
  /** Throws what cannot be copied. */
  post(message: FromWorker): void;
  /** Ends the worker. */
  end(): void;
}

type Call = Extract<ToWorker, { type: "call" }>;

/** Answers the messages that come into the worker. Returns what takes one. */
export function serveModules({ actions, loadExport, board, tracker, post, end }: ServingPorts) {
  const running = new Map<number, { site: number; controller: AbortController }>();
  const asked = new Map<number, (answer: Result<unknown, string>) => void>();
  let lastAsk = 0;

  const scopeOf = ({ id, file, exportName }: Call, signal: AbortSignal): ModuleScope => ({
    load: () => loadExport(file, exportName),
    place: `${file}#${exportName}`,
    signal,
    notify: (data) => post({ type: "notify", id, data }),
    ask: (data) =>
      new Promise((resolve, reject) => {
        const ask = (lastAsk += 1);
        asked.set(ask, (answer) => (answer.success ? resolve(answer.data) : reject(new Error(answer.error))));
        post({ type: "ask", id, ask, data: toJsonValue(data) });
      }),
  });

  const tell = (id: number, outcome: Result<unknown, ModuleFailure>): void => postOutcome(post, id, outcome);

  const run = async (call: Call): Promise<void> => {
    const controller = new AbortController();
    running.set(call.id, { site: call.site, controller });
    const action = actions.find(({ name }) => name === call.action);
    const done = await attempt(
      async () => action?.run(call.input, scopeOf(call, controller.signal)),
      (cause) => kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause }),
    );
    running.delete(call.id);
    if (!done.success) return tell(call.id, moduleFailure("threw", done.error.message, done.error.cause));
    tell(call.id, done.data ?? moduleFailure("unfit", `is asked for "${call.action}", which this worker cannot do`));
  };

  return (message: ToWorker): void => {
    switch (message.type) {
      case "call":
        board.setBegun(message.id);
        return tracker.within({ id: message.id, site: message.site }, () => void run(message));
      case "abort": {
        const call = running.get(message.id);
        if (call === undefined) return;
        return tracker.within({ id: message.id, site: call.site }, () => call.controller.abort());
      }
      case "answer":
        asked.get(message.ask)?.(message.answer);
        asked.delete(message.ask);
        return;
      case "ping":
        return post({ type: "pong" });
      case "end":
        return end();
    }
  };
}

/** Posts the outcome of a call, or a copy of it if it cannot be posted as it is. */
function postOutcome(post: ServingPorts["post"], id: number, outcome: Result<unknown, ModuleFailure>): void {
  const sent = attemptSync(() => post({ type: "outcome", id, outcome }), messageOf);
  if (sent.success) return;
  const copied = attemptSync(() => portable(outcome), messageOf);
  const told = copied.success ? copied.data : moduleFailure("threw", `what it gave cannot be copied: ${copied.error}`);
  post({ type: "outcome", id, outcome: told });
}

/** An outcome without what only its own thread can hold, such as functions. Throws what JSON cannot carry. */
function portable(outcome: Result<unknown, ModuleFailure>): Result<unknown, ModuleFailure> {
  if (outcome.success) return { success: true, data: toJsonValue(outcome.data) };
  const { how, message, cause } = outcome.error;
  return failure({ how, message, cause: portableCause(cause) });
}

/** An error that holds no more than its words; those that are copied as they are hold their stack too. */
export function portableCause(cause: unknown): unknown {
  if (!(cause instanceof Error)) return new Error(messageOf(cause));
  const copy = new Error(cause.message);
  copy.name = cause.name;
  if (cause.stack !== undefined) copy.stack = cause.stack;
  return copy;
}
