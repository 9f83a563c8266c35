import { attempt, attemptSync, messageOf } from "../errors/boundary.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { failure, type Result } from "../result.js";
import { createSystemClock } from "../values/clock.js";
import { renderDuration } from "../values/duration.js";
import { moduleFailure, type ModuleFailure } from "./module-failure.js";
import type { FromWorker } from "./module-message.js";
import { openWorker, type WorkerLink } from "./open-worker.js";
import type { EndedModule, ModuleCall, ModuleWorld, UserModules } from "./user-modules.js";

/** How often a worker that has something to do is asked whether it still answers. */
const beatMs = 500;
/** After so long without an answer others are told what they wait for. */
const blameMs = 1_000;
/** A worker that has not answered for so long is blocked. It is ended once one of its calls is waited for no longer. */
const patienceMs = 2_000;
/** After the end of the run it may do what is left to be done at the exit. */
const farewellMs = 300;
/** Ending takes no time, unless the worker waits inside the system. */
const terminationMs = 700;
/** So often a call is made again that others have cut off. */
const mostTries = 4;

const beginsAnew = "The run went on with a new worker; what modules had in memory is lost";
const stuck = {
  message: "waits inside the system, where nothing can end it",
  hint: "Give what it waits for a timeout; KindLM ends by SIGKILL, because the process would wait too",
};

interface PendingCall {
  call: ModuleCall<unknown, unknown>;
  tries: number;
  /** Nobody waits for it. It is forgotten as soon as the worker is known to answer nevertheless. */
  isGivenUp: boolean;
  /** The worker was asked after that whether it answers. */
  isLastChance: boolean;
  settle(outcome: Result<unknown, ModuleFailure>): void;
}

interface Session {
  link: WorkerLink;
  pending: Map<number, PendingCall>;
  /** When it answered last, or began to have something to do. */
  heardAt: number;
  /** Why it is being ended from here. */
  verdict: string | null;
  stopBeat(): void;
}

/** Keeps one worker at a time. Its own time is real, because it is about whether code runs. */
export function createWorkerHost(world: ModuleWorld): UserModules {
  const clock = createSystemClock();
  const sites: string[] = [""];
  const ended: EndedModule[] = [];
  let session: Session | null = null;
  let lastId = 0;
  let onGone: (() => void) | null = null;
  let isClosed = false;

  const siteOf = (what: string): number => {
    const known = sites.indexOf(what);
    return known === -1 ? sites.push(what) - 1 : known;
  };
  const culpritOf = ({ link }: Session): string => sites[link.board.running().site] ?? "";
  const silenceOf = ({ heardAt }: Session): number => clock.monotonic() - heardAt;

  const beat = (of: Session): void => {
    const dueAt = clock.monotonic() + beatMs;
    of.stopBeat = clock.after(beatMs, () => {
      // While this thread is busy itself it hears nothing.
      of.heardAt += clock.monotonic() - dueAt;
      const givenUp = [...of.pending.values()].filter(({ isGivenUp }) => isGivenUp);
      if (givenUp.length > 0 && silenceOf(of) > patienceMs) return end(of);
      for (const waiting of givenUp) waiting.isLastChance = true;
      of.link.post({ type: "ping" });
      beat(of);
    });
  };

  const end = (of: Session): void => {
    of.verdict ??= `kept its worker busy for ${renderDuration(Math.round(silenceOf(of) / 100) * 100)}, and was ended`;
    of.link.terminate();
  };

  const start = (): Session => {
    const opened: Session = {
      link: openWorker(world.console ?? "stdout", {
        onMessage: (message) => receive(opened, message),
        onExit: (message) => exited(opened, message),
      }),
      pending: new Map(),
      heardAt: clock.monotonic(),
      verdict: null,
      stopBeat: () => undefined,
    };
    return opened;
  };

  const receive = (of: Session, message: FromWorker): void => {
    of.heardAt = clock.monotonic();
    switch (message.type) {
      case "outcome":
        return forget(of, message.id, message.outcome);
      case "notify":
        return of.pending.get(message.id)?.call.onNotify?.(message.data);
      case "ask":
        return void answer(of, message);
      case "stray":
        return world.onStray?.(message.cause, sites[message.site] ?? "");
      case "pong":
        for (const [id, waiting] of of.pending) {
          if (waiting.isLastChance) forget(of, id, moduleFailure("swept", "was waited for no longer"));
        }
    }
  };

  const answer = async (of: Session, { id, ask, data }: Extract<FromWorker, { type: "ask" }>): Promise<void> => {
    const told = await attempt(
      async () => of.pending.get(id)?.call.onAsk?.(data),
      (cause) => kindlmError("UNKNOWN_ERROR", messageOf(cause)),
    );
    if (session !== of) return;
    const reply = told.success ? told : failure(told.error.message);
    const sent = attemptSync(() => of.link.post({ type: "answer", ask, answer: reply }), messageOf);
    if (!sent.success) of.link.post({ type: "answer", ask, answer: failure(sent.error) });
  };

  const forget = (of: Session, id: number, outcome: Result<unknown, ModuleFailure>): void => {
    const waiting = of.pending.get(id);
    of.pending.delete(id);
    if (of.pending.size === 0) {
      of.stopBeat();
      of.link.keepsProcess(false);
    }
    waiting?.settle(outcome);
  };

  const exited = (of: Session, how: string): void => {
    of.stopBeat();
    if (session === of) session = null;
    const message = of.verdict ?? how;
    const { board } = of.link;
    const what = culpritOf(of);
    if (onGone === null || of.verdict !== null) ended.push({ what, message, hint: beginsAnew });
    for (const [id, waiting] of of.pending) {
      if (isClosed) waiting.settle(moduleFailure("swept", "was cut off by the end of the run"));
      else if (id === board.running().id) waiting.settle(moduleFailure("ended", message));
      else if (waiting.isGivenUp) waiting.settle(moduleFailure("swept", "was waited for no longer"));
      else if (waiting.tries < mostTries && (id > board.begun() || waiting.call.isRepeatable)) send(waiting);
      else waiting.settle(moduleFailure("swept", `was cut off, because ${what} ${message}`));
    }
    onGone?.();
  };

  const send = (waiting: PendingCall): void => {
    const of = (session ??= start());
    const { call } = waiting;
    const id = (lastId += 1);
    waiting.tries += 1;
    const { file, exportName, input } = call;
    const site = siteOf(call.what);
    const sent = attemptSync(
      () => of.link.post({ type: "call", id, site, action: call.action.name, file, exportName, input }),
      messageOf,
    );
    if (!sent.success) return waiting.settle(moduleFailure("unfit", `cannot be given its data: ${sent.error}`));
    if (of.pending.size === 0) {
      of.heardAt = clock.monotonic();
      of.link.keepsProcess(true);
      beat(of);
    }
    of.pending.set(id, waiting);
    const onAbort = (): void => {
      waiting.isGivenUp = true;
      if (session === of) of.link.post({ type: "abort", id });
    };
    if (call.signal.aborted) onAbort();
    else call.signal.addEventListener("abort", onAbort, { once: true });
    const { settle } = waiting;
    waiting.settle = (outcome) => {
      call.signal.removeEventListener("abort", onAbort);
      settle(outcome);
    };
  };

  return {
    call: <Input, Output>(call: ModuleCall<Input, Output>) =>
      new Promise<Result<Output, ModuleFailure>>((resolve) => {
        if (isClosed) return resolve(moduleFailure("swept", "came after the end of the run"));
        send({
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what goes in is only copied
          call: call as ModuleCall<unknown, unknown>,
          tries: 0,
          isGivenUp: false,
          isLastChance: false,
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the code of the same action made it
          settle: (outcome) => resolve(outcome as Result<Output, ModuleFailure>),
        });
      }),
    blockedBy(what) {
      if (session === null || silenceOf(session) <= blameMs) return null;
      const culprit = culpritOf(session);
      return culprit === what ? null : culprit;
    },
    async close() {
      isClosed = true;
      if (session === null) return ended;
      const of = session;
      of.stopBeat();
      if (of.pending.size === 0) of.heardAt = clock.monotonic();
      of.link.keepsProcess(true);
      await new Promise<void>((resolve) => {
        of.link.post({ type: "end" });
        const cancels = [
          clock.after(farewellMs, () => end(of)),
          clock.after(farewellMs + terminationMs, () => {
            ended.push({ what: culpritOf(of), ...stuck });
            of.link.keepsProcess(false);
            world.onStuck?.();
            resolve();
          }),
        ];
        onGone = () => {
          for (const cancel of cancels) cancel();
          resolve();
        };
      });
      return ended;
    },
  };
}
