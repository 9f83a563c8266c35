import type { Diagnostic } from "../errors/error-table.js";
import type { KindlmError } from "../errors/kindlm-error.js";
import type { PlannedCase, RunPlan } from "../plan/run-plan.js";
import type { RunTotals, SettledProvider, SuiteTotals } from "../summary/run-totals.js";
import type { CaseProgress } from "./case-progress.js";
import { skippedResult } from "./skipped-result.js";
import type { MadeTrial } from "./make-trial.js";
import type { EnginePorts } from "./ports.js";
import { UnusedApprovals } from "./pause/unused-approvals.js";
import type { RunHalt } from "./run-halt.js";
import type { SuiteResult, TestResult, TrialResult } from "./run-result.js";
import { RunTally } from "./summary/run-tally.js";
import { SuiteCollector } from "./summary/suite-collector.js";
import { suiteOfCase } from "./summary/suite-of-case.js";
import { TrialWriter } from "./trial-writer.js";
import { plural } from "../values/plural.js";

/** Takes note of trials and cases: in the store, in the sums, and where the config has them. */
export class RunRecords {
  readonly ranCases: string[] = [];
  readonly #plan: RunPlan;
  readonly #ports: EnginePorts;
  readonly #halt: RunHalt;
  readonly #collected: SuiteCollector;
  readonly #writer: TrialWriter;
  readonly #tally = new RunTally();
  readonly #approvals = new UnusedApprovals();
  readonly #losses = new GatewayLosses();
  readonly #keepName = createNameKeeper();
  readonly #origins = { carried: 0, evaluated: 0, replayed: 0 };

  constructor(plan: RunPlan, ports: EnginePorts, halt: RunHalt) {
    this.#plan = plan;
    this.#ports = ports;
    this.#halt = halt;
    this.#collected = new SuiteCollector(plan, ports.emit);
    this.#writer = new TrialWriter(ports);
  }

  start(planned: PlannedCase): void {
    this.ranCases.push(planned.id);
    this.#collected.start(planned);
  }

  skip(planned: PlannedCase, reason: string): void {
    const result = skippedResult(planned, reason);
    this.#halt.count(result);
    this.#collected.add(planned, result);
  }

  /** Ends a case that gets no further trial. */
  end(progress: CaseProgress): void {
    const result = this.#resultOf(progress);
    this.#halt.count(result);
    this.#collected.add(progress.planned, result, progress.assertions);
  }

  /** Takes in a trial of a case, and ends the case with its last one. Gives what to wait for until there is room for the next. */
  keep(progress: CaseProgress, { trial, origin }: MadeTrial): Promise<void> | undefined {
    const { planned } = progress;
    const isReplayed = trial.turns.length > 0 && trial.turns.every(({ replayed }) => replayed === true);
    if (origin === "run") this.#origins.replayed += isReplayed ? 1 : 0;
    else this.#origins[origin === "rescore" ? "evaluated" : origin] += 1;
    this.#tally.add(trial, planned.suite);
    this.#approvals.add(planned, trial);
    this.#losses.add(trial);
    const concluded = progress.finish(trial) || progress.endEarly() ? this.#resultOf(progress) : null;
    if (concluded === null) return this.#writer.write(trial, planned, origin);
    this.#halt.count(concluded);
    const only = concluded.status === "passed" && concluded.runs === 1 ? trial : null;
    const onEnd = (): void => this.#collected.add(planned, concluded, progress.assertions, only);
    return this.#writer.write(trial, planned, origin, onEnd);
  }

  /** Takes in a trial that an earlier session of the run finished. */
  takeOver(planned: PlannedCase, trial: TrialResult): void {
    this.#tally.add(trial, planned.suite);
    this.#approvals.add(planned, trial);
    this.#losses.add(trial);
    this.#tellCarried(planned, trial);
  }

  /** An extra trial is paid for; the scores and tool errors of the run are those of the other trials. */
  keepExtra({ trial, origin }: MadeTrial, planned: PlannedCase): Promise<void> | undefined {
    this.#tally.addSpent(trial, planned.suite);
    return this.#writer.write(trial, planned, origin);
  }

  takeOverExtra(planned: PlannedCase, trial: TrialResult): void {
    this.#tally.addSpent(trial, planned.suite);
    this.#tellCarried(planned, trial);
  }

  /** Counts the cost of trials that were run again since. */
  addReplaced(trials: Iterable<TrialResult>): void {
    const names = this.#plan.suites.map(({ name }) => name);
    for (const trial of trials) this.#tally.addSpent(trial, suiteOfCase(trial.caseId, names));
  }

  /** Resolves when every trial that was taken in is in the store, or cannot be. */
  settled(): Promise<void> {
    return this.#writer.settled();
  }

  /** Why finished trials could not be kept on the disk; null if they could. */
  get storeError(): KindlmError | null {
    return this.#writer.error;
  }

  /** Trials that were taken over from other runs or evaluated again, and others that recordings alone answered. */
  get origins(): { carried: number; evaluated: number; replayed: number } {
    return this.#origins;
  }

  /** What the entries of `approvals` were good for, over all trials. */
  get approvals(): Pick<UnusedApprovals, "warnings"> {
    return this.#approvals;
  }

  /** What models did not get of the requests of agents. */
  get gatewayLosses(): readonly Diagnostic[] {
    return this.#losses.warnings();
  }

  suites(): readonly SuiteResult[] {
    return this.#collected.finish();
  }

  /** `settled`: the limits that the limiters found. */
  sums(settled: readonly SettledProvider[]): { totals: RunTotals; suiteTotals: ReadonlyMap<string, SuiteTotals> } {
    return { totals: this.#tally.summarize(settled), suiteTotals: this.#tally.ofSuites() };
  }

  #resultOf(progress: CaseProgress): TestResult {
    const { identify, cassette } = this.#ports;
    return progress.toResult(identify(progress.planned), cassette?.isReplay === true, this.#keepName);
  }

  #tellCarried({ suite, id: caseId }: PlannedCase, { trial, status, costUsd }: TrialResult): void {
    this.#ports.emit({ channel: "progress", type: "trial:carried", suite, caseId, trial, status, costUsd });
  }
}

/** Gives for each text the first one that was equal to it, so that very many cases share one copy. */
function createNameKeeper(): (name: string) => string {
  const kept = new Map<string, string>();
  return (name) => {
    const known = kept.get(name);
    if (known !== undefined) return known;
    kept.set(name, name);
    return name;
  };
}

/** What the gateway dropped or changed in translations, over all trials. */
class GatewayLosses {
  readonly #lost = { dropped: new Set<string>(), changed: new Set<string>() };
  readonly #cases = new Set<string>();
  #requests = 0;

  add({ caseId, gateway }: TrialResult): void {
    // What was changed in a request that passed, the config asks for.
    if (gateway === undefined || gateway.translated === 0) return;
    let isLossy = false;
    for (const { kind, path } of gateway.changes) {
      if (kind === "refused") continue;
      this.#lost[kind].add(path);
      isLossy = true;
    }
    if (!isLossy) return;
    this.#requests += gateway.translated;
    this.#cases.add(caseId);
  }

  /** One, whatever the number of trials. */
  warnings(): readonly Diagnostic[] {
    if (this.#cases.size === 0) return [];
    const what = Object.entries(this.#lost).filter(([, paths]) => paths.size > 0);
    const told = what.map(([kind, paths]) => `${kind} ${[...paths].join(", ")}`).join("; ");
    const where = `${plural(this.#requests, "request")} of ${plural(this.#cases.size, "case")}`;
    const message = `The gateway translated ${where} for a model with another API than the agent's: ${told}`;
    const hint = "kindlm show has the reasons. Requests pass unchanged to a model whose provider has the agent's API";
    return [{ code: "GATEWAY_REFUSED", severity: "warning", message, hint }];
  }
}
