import type { RunEvent, TestResult } from "@kindlm/core";
import { renderDuration, withCounts } from "@kindlm/core/program";
import { renderExecution } from "../reporters/render-execution.js";
import type { Colors } from "../terminal/colors.js";
import type { Signs } from "../terminal/signs.js";
import { fitMiddle, fitWidth, padWidth, textWidth } from "../terminal/text-width.js";

/** So many cases with the same reason get a line each; those that follow are counted. */
const mostAlike = 5;
/** Reasons that are counted separately; cases with any other are counted as if they had the same, so that the lines end. */
const mostReasons = 200;
const otherReason = "another reason";
/** `5 of 5`, in the usual case. */
const passesColumns = 6;
const leastReasonColumns = 20;

export interface CaseLineSettings {
  verbose: boolean;
  colors: Colors;
  signs: Signs;
  /** Why a case did not pass, in a few words; masked, but not escaped. */
  reasonOf(event: CaseEnd): string;
  safe(text: string): string;
}

type CaseEnd = Extract<RunEvent, { type: "case:end" }>;

interface Alike {
  status: "failed" | "errored";
  reason: string;
  count: number;
  /** The number that was printed last. */
  told: number;
  lastId: string;
}

/** One line for each case that did not pass as soon as it is decided; for every case if it is verbose. */
export class CaseLines {
  readonly #settings: CaseLineSettings;
  readonly #alike = new Map<string, Alike>();
  /** The widest id so far that was not cut, so that lines are in columns without knowing those that follow. */
  #idColumns = 0;

  constructor(settings: CaseLineSettings) {
    this.#settings = settings;
  }

  /** Whether a case is worth a line. */
  isShown({ result }: CaseEnd): boolean {
    if (this.#settings.verbose) return true;
    // Whoever interrupts a run knows why the cases under way have no verdict.
    return result.status === "errored" ? result.error.code !== "ENGINE_ABORTED" : result.status === "failed";
  }

  /**
   * The line for a case that is worth one; null if its number will do. `columns`: how wide it may be. Of cases beyond the
   * first with a reason, their number has a line each time it has doubled, if `isCounting`.
   */
  lineFor(event: CaseEnd, columns: number, isCounting: boolean): string | null {
    const { verbose } = this.#settings;
    const { result } = event;
    const hasFailed = result.status === "failed" || result.status === "errored";
    const { safe } = this.#settings;
    const reason = safe(hasFailed ? this.#settings.reasonOf(event) : describe(result));
    const alike = hasFailed && !verbose ? this.#count(result.status, reason, safe(result.id)) : null;
    if (alike === null || alike.count <= mostAlike) return this.#render(result, reason, columns);
    return isCounting && alike.count >= 2 * alike.told ? this.#tellCount(alike, columns) : null;
  }

  /** The numbers of cases with the same reason beyond those with a line, the largest first. */
  counters(columns: number): readonly string[] {
    return [...this.#alike.values()]
      .filter(({ count }) => count > mostAlike)
      .toSorted((a, b) => b.count - a.count)
      .map((one) => this.#renderCount(one, columns));
  }

  /** The same, of those that have grown since they were printed. */
  rest(columns: number): readonly string[] {
    return [...this.#alike.values()]
      .filter(({ count, told }) => count > told)
      .map((one) => this.#tellCount(one, columns));
  }

  #count(status: Alike["status"], reason: string, lastId: string): Alike {
    const isOther = !this.#alike.has(`${status} ${reason}`) && this.#alike.size >= mostReasons;
    const counted = isOther ? otherReason : reason;
    const key = `${status} ${counted}`;
    const alike = this.#alike.get(key) ?? { status, reason: counted, count: 0, told: 0, lastId };
    alike.count += 1;
    alike.lastId = lastId;
    if (alike.count <= mostAlike) alike.told = alike.count;
    this.#alike.set(key, alike);
    return alike;
  }

  #tellCount(alike: Alike, columns: number): string {
    alike.told = alike.count;
    return this.#renderCount(alike, columns);
  }

  #render(result: TestResult, reason: string, columns: number): string {
    const { safe, signs } = this.#settings;
    const { status } = result;
    const passes =
      result.status !== "skipped" && status !== "errored" && result.runs > 1
        ? withCounts`${result.passes} of ${result.runs}`
        : "";
    const sign = padWidth(signs[status], textWidth(signs.passed));
    const room = Math.max(1, columns - textWidth(sign) - 1 - passesColumns - 6);
    const mostOfId = Math.max(Math.floor(room / 2), room - leastReasonColumns * 2);
    const whole = safe(result.id);
    const id = fitMiddle(whole, mostOfId);
    // One id that is far longer than all others is to leave their reasons where they are.
    if (id === whole) this.#idColumns = Math.max(this.#idColumns, textWidth(id));
    const line =
      `${padWidth(id, Math.min(mostOfId, this.#idColumns))}   ${passes.padEnd(passesColumns)}   ${reason}`.trimEnd();
    return `${this.#colored(status, sign)} ${fitWidth(line, columns - textWidth(sign) - 1)}`;
  }

  #renderCount({ status, reason, count, lastId }: Alike, columns: number): string {
    const { signs } = this.#settings;
    const sign = padWidth(signs[status], textWidth(signs.passed));
    const line = fitWidth(withCounts`${count} cases   ${reason}   last ${lastId}`, columns - textWidth(sign) - 1);
    return `${this.#colored(status, sign)} ${line}`;
  }

  #colored(status: TestResult["status"], text: string): string {
    const { green, red, magenta, dim } = this.#settings.colors;
    return { passed: green, failed: red, errored: magenta, skipped: dim }[status](text);
  }
}

/** What there is to say about a case that passed, or was skipped. */
function describe(result: TestResult): string {
  if (result.status === "skipped") return result.reason;
  const { fallback, help } = renderExecution(result);
  const answeredBy = fallback === null ? [] : [`fallback ${fallback}`];
  return [renderDuration(result.latencyMs), ...answeredBy, ...help].join(", ");
}
