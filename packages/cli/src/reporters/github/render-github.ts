import type { RunResult, SourcePosition, TestResult } from "@kindlm/core";
import { casesOf, failurePosition, readShownTrial, visible, visibleLine, whyFailed } from "@kindlm/core/program";
import { describeRepeats, describeTally } from "../../errors/describe-digest.js";
import { digestDiagnostics, type DigestedDiagnostic } from "../../errors/digest-diagnostics.js";
import type { ReportOptions } from "../report-options.js";

/** GitHub shows ten errors and ten warnings of a step; more than this is of no use to anybody. */
const mostAnnotations = 50;

export async function* renderGithub(result: RunResult, options: ReportOptions): AsyncIterable<string> {
  let count = 0;
  for await (const one of annotationsOf(result, options)) {
    count += 1;
    if (count <= mostAnnotations) yield annotation(one);
  }
  if (count > mostAnnotations) {
    const message = `${count - mostAnnotations} more problems are in the other reports`;
    yield annotation({ level: "notice", title: "KindLM", message });
  }
}

async function* annotationsOf(result: RunResult, options: ReportOptions): AsyncIterable<Annotation> {
  const { redact } = options;
  for (const gate of result.gates) {
    if (!gate.pass) yield { level: "error", title: `Gate ${redact(gate.name)}`, message: redact(gate.message) };
  }
  for (const suite of result.comparison?.suites ?? []) {
    if (suite.status !== "compared" || suite.verdict !== "regressed") continue;
    const worse = suite.worse.map(({ caseId }) => caseId).join(", ");
    const message = worse === "" ? "The suite as a whole got worse" : `Worse: ${worse}`;
    yield { level: "error", title: `${redact(suite.suite)} regressed`, message: redact(message) };
  }
  const stopped = result.suites.flatMap((suite) =>
    suite.status === "skipped" ? suite.diagnostics.map((problem) => ({ ...problem, stopped: suite.name })) : [],
  );
  const errors = digestDiagnostics(
    stopped.filter(({ severity }) => severity === "error"),
    options.digest,
  );
  for (const problem of errors.shown) {
    yield { level: "error", title: `Suite ${redact(problem.stopped)} could not run`, ...placed(problem, redact) };
  }
  for (const test of casesOf(result.suites)) {
    // One case after the other keeps memory flat.
    const found = await annotationOf(test, result, options);
    if (found !== null) yield found;
  }
  const warnings = digestDiagnostics(result.warnings, options.digest);
  for (const warning of warnings.shown) yield { level: "warning", title: "KindLM", ...placed(warning, redact) };
  for (const { tally } of [errors, warnings]) {
    if (tally === null) continue;
    const { title, fix } = describeTally(tally, options.digest);
    yield { level: "notice", title: "KindLM", message: redact(fix === undefined ? title : `${title}\n${fix}`) };
  }
}

/** What is wrong, with the other places where it is, on the first of them. */
function placed(problem: DigestedDiagnostic, redact: (text: string) => string): Pick<Annotation, "message" | "place"> {
  const message = [problem.message, describeRepeats(problem)].filter((text) => text !== "").join("\n");
  return { message: redact(message), ...placeOf(problem.position ?? null, redact) };
}

async function annotationOf(test: TestResult, result: RunResult, options: ReportOptions): Promise<Annotation | null> {
  const { redact } = options;
  if (test.status !== "failed" && test.status !== "errored") return null;
  const assertions = (await readShownTrial(result, test, options))?.assertions ?? [];
  const place = placeOf(failurePosition(test, assertions), redact);
  const message = whyFailed(test, assertions, options).join("\n");
  const allowed = test.status === "failed" ? test.allowFailure : null;
  if (allowed === null) return { level: "error", title: `${redact(test.id)} ${test.status}`, message, ...place };
  return {
    level: "warning",
    title: `${redact(test.id)} failed, which is allowed (${redact(allowed)})`,
    message,
    ...place,
  };
}

function placeOf(position: SourcePosition | null, redact: (text: string) => string): Pick<Annotation, "place"> {
  if (position === null) return {};
  return { place: { file: visible(redact(position.file)), line: position.line, column: position.column } };
}

/** What GitHub Actions shows next to a line of a file, or for the run. */
interface Annotation {
  level: "error" | "warning" | "notice";
  title: string;
  /** May have several lines. */
  message: string;
  place?: { file: string; line: number; column: number };
}

/** Longer messages are cut by GitHub, in the middle of what they say. */
const longestMessage = 3_000;

/**
 * A workflow command, such as `::error file=a.yaml,line=3,col=5,title=t::message`. Escapes as in the toolkit of GitHub
 * Actions: `%`, line ends, and in properties also `:` and `,`.
 */
function annotation({ level, title, message, place }: Annotation): string {
  const properties = [
    ...(place === undefined ? [] : [`file=${property(place.file)}`, `line=${place.line}`, `col=${place.column}`]),
    `title=${property(visibleLine(title))}`,
  ];
  return `::${level} ${properties.join(",")}::${data(visible(message).slice(0, longestMessage))}\n`;
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
