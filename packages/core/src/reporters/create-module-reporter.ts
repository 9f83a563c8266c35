import type { RunResult, TrialResult } from "../engine/run-result.js";
import type { RegisteredReporter } from "../extensions/registered.js";
import type { ModuleFailure } from "../modules/module-failure.js";
import type { UserModules } from "../modules/user-modules.js";
import { redactCopy } from "../redaction/redact-value.js";
import { failure, success, type Result } from "../result.js";
import type { Clock } from "../values/clock.js";
import { renderDuration } from "../values/duration.js";
import { isRecord } from "../values/json.js";
import { maskFor } from "./case-mask.js";
import type { RenderOptions, ReporterDefinition } from "./define-reporter.js";
import { renderAction, type RenderInput } from "./reporter-action.js";

/** A reporter that neither writes nor asks for anything for so long is given up. */
const patienceMs = 30_000;

interface ReporterWorld {
  clock: Clock;
  /** A worker for this report alone: that of the run has ended. */
  openModules(): UserModules;
}

/**
 * A reporter that a module registers. It runs in a worker and gets copies in which secrets are masked. Its text comes in
 * one piece, once it is complete: a reporter that fails writes nothing.
 */
export function createModuleReporter(registered: RegisteredReporter, world: ReporterWorld): ReporterDefinition {
  const { name, summary, extension, format } = registered;
  return {
    name,
    summary,
    extension,
    format,
    async *render(result, options) {
      const modules = world.openModules();
      const rendered = await renderInModule(registered, { result, options }, modules, world.clock);
      await modules.close();
      yield rendered.success ? rendered.data : await Promise.reject(new Error(rendered.error));
    },
  };
}

async function renderInModule(
  { file, exportName }: RegisteredReporter,
  { result, options }: { result: RunResult; options: RenderOptions },
  modules: UserModules,
  clock: Clock,
): Promise<Result<string, string>> {
  const pieces: unknown[] = [];
  const controller = new AbortController();
  const { signal } = controller;
  const giveUp = (): void => controller.abort();
  let cancel = clock.after(patienceMs, giveUp);
  const heard = (): void => {
    cancel();
    cancel = clock.after(patienceMs, giveUp);
  };
  const trials = new TrialStreams(result, options.redact);
  const outcome = await Promise.race([
    modules.call({
      action: renderAction,
      file,
      exportName,
      what: `reporter ${file}#${exportName}`,
      input: inputOf(result, options),
      signal,
      isRepeatable: false,
      onNotify(piece) {
        heard();
        pieces.push(piece);
      },
      onAsk(question) {
        heard();
        return trials.answer(question);
      },
    }),
    new Promise<null>((resolve) => signal.addEventListener("abort", () => resolve(null), { once: true })),
  ]);
  cancel();
  await trials.close();
  if (outcome === null) return failure(`${exportName} of ${file} did nothing for ${renderDuration(patienceMs)}`);
  return outcome.success ? success(pieces.join("")) : failure(reasonOf(outcome.error, `${exportName} of ${file}`));
}

function reasonOf({ how, message }: ModuleFailure, name: string): string {
  if (how === "missing") return message;
  return `${name} ${how === "threw" ? "threw: " : ""}${message}`;
}

/** The data of a result, which is all that can be copied. */
function inputOf({ trials: _trials, ...data }: RunResult, options: RenderOptions): RenderInput {
  const { verbose, color, width, redact } = options;
  return { result: redactCopy(data, redact), options: { verbose, color, width } };
}

/** The trials that a reporter reads, one after the other, as often and as many at a time as it likes. */
class TrialStreams {
  readonly #result: RunResult;
  readonly #redact: (text: string) => string;
  readonly #open: AsyncIterator<TrialResult>[] = [];

  constructor(result: RunResult, redact: (text: string) => string) {
    this.#result = result;
    this.#redact = redact;
  }

  async answer(question: unknown): Promise<number | TrialResult | null> {
    const { open, next } = isRecord(question) ? question : {};
    if (next === undefined) {
      const trials = this.#result.trials(typeof open === "string" ? open : undefined);
      return this.#open.push(trials[Symbol.asyncIterator]()) - 1;
    }
    const read = await this.#open[Number(next)]?.next();
    if (read === undefined || read.done === true) return null;
    return redactCopy(read.value, maskFor(read.value.assertions, this.#redact));
  }

  async close(): Promise<void> {
    for (const trials of this.#open) await trials.return?.();
  }
}
