import { casesOf } from "../../engine/summary/cases-of.js";
import type { RunResult, SuiteResult, TestResult, TrialResult } from "../../engine/run-result.js";
import { maskFor } from "../case-mask.js";
import { describeExecution, type Execution } from "../describe-execution.js";
import { errorLinesOf, type RenderOptions } from "../define-reporter.js";
import { failingAssertions, failurePosition } from "../failing-assertions.js";
import { readShownTrial } from "../read-decisive-trial.js";
import { visible } from "../../values/visible.js";

/** What XML 1.0 allows in no form, beyond what `visible` writes out. */
const notXml = /[\ufffe\uffff]/g;

type Counts = { tests: number; failures: number; errors: number; skipped: number };

/** Valid by the schemas of Jenkins, which know no other attributes and no properties of single cases. */
export async function* renderJunit(result: RunResult, options: RenderOptions): AsyncIterable<string> {
  const { run } = result;
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  const { tests, failures, errors } = countsOf(casesOf(result.suites));
  const name = options.redact(run.project ?? "kindlm");
  yield `<testsuites${xmlAttributes({ name, tests, failures, errors, time: seconds(run.durationMs) })}>\n`;
  for (const suite of result.suites) yield* renderSuite(suite, result, options);
  yield "</testsuites>\n";
}

async function* renderSuite(suite: SuiteResult, result: RunResult, options: RenderOptions): AsyncIterable<string> {
  const { redact } = options;
  const time = suite.tests.reduce((sum, test) => sum + (test.status === "skipped" ? 0 : test.latencyMs), 0);
  const attributes = {
    name: redact(suite.name),
    ...countsOf(suite.tests),
    time: seconds(time),
    timestamp: result.run.startedAt,
    file: redact(suite.file),
  };
  yield `  <testsuite${xmlAttributes(attributes)}>\n`;
  yield "    <properties>\n";
  const ofCases = suite.tests.flatMap((test) => propertiesOfCase(test, redact));
  for (const [name, value] of [...propertiesOf(result, redact), ...comparisonOf(result, suite.name), ...ofCases])
    yield `      <property${xmlAttributes({ name, value })}/>\n`;
  yield "    </properties>\n";
  for (const test of suite.tests) {
    // One case after the other keeps memory flat.
    yield* renderTest(test, await readShownTrial(result, test, options), options);
  }
  if (suite.status === "skipped") {
    yield `    <system-err>${xmlText(redact(errorLinesOf(suite, options).join("\n")))}</system-err>\n`;
  }
  yield "  </testsuite>\n";
}

/** `latencyMs` is the mean of the trials: what one run of the test takes. */
function* renderTest(test: TestResult, decisive: TrialResult | null, options: RenderOptions): Iterable<string> {
  const { redact } = options;
  const attributes = {
    name: nameOf(test, redact),
    classname: redact(test.suite),
    time: seconds(test.status === "skipped" ? 0 : test.latencyMs),
  };
  yield `    <testcase${xmlAttributes(attributes)}>\n`;
  yield* renderOutcome(test, decisive, options);
  yield "    </testcase>\n";
}

/** The id without the suite, which is the name of the class. */
function nameOf(test: TestResult, redact: (text: string) => string): string {
  return redact(test.id.startsWith(`${test.suite}/`) ? test.id.slice(test.suite.length + 1) : test.id);
}

/** What the agent under test did not do by itself, such as `kindlm.fallback[refund@gpt]`. */
function propertiesOfCase(test: TestResult, redact: (text: string) => string): [string, string][] {
  return describeExecution(test).flatMap((one) => {
    const property = propertyOf(one);
    return property === null ? [] : [[`${property[0]}[${nameOf(test, redact)}]`, redact(property[1])]];
  });
}

/** Null for what is said of the trials of a case. */
function propertyOf(one: Execution): [string, string] | null {
  switch (one.kind) {
    case "fallback":
      return ["kindlm.fallback", one.model];
    case "nudged":
      return ["kindlm.nudges", String(one.nudges)];
    case "tool_fallback":
      return ["kindlm.tool_fallbacks", String(one.calls)];
    case "mixed":
    case "ended_early":
      return null;
  }
}

function* renderOutcome(test: TestResult, decisive: TrialResult | null, options: RenderOptions): Iterable<string> {
  if (test.status === "skipped") {
    yield `      <skipped${xmlAttributes({ message: options.redact(test.reason) })}/>\n`;
    return;
  }
  const { assertions, output } = decisive ?? { assertions: [], output: "" };
  const mask = maskFor(assertions, options.redact);
  const position = failurePosition(test, assertions);
  const place = position === null ? [] : [options.redact(`${position.file}:${position.line}`)];
  if (isAllowed(test)) {
    const why = failingAssertions(assertions).map((assertion) => `: ${mask(assertion.message)}`)[0] ?? "";
    const message = `failed, which is allowed (${options.redact(test.allowFailure ?? "")})${why}`;
    yield `      <skipped${xmlAttributes({ message })}/>\n`;
  } else if (test.status === "failed") {
    const failing = failingAssertions(assertions);
    const type = failing[0]?.type ?? "assertion";
    const messages = failing.map((assertion) => mask(`${assertion.type}: ${assertion.message}`));
    const runs = test.mixed ? [`${test.passes} of ${test.runs} runs passed (needs ${test.required})`] : [];
    const body = [...runs, ...messages, ...place].join("\n");
    yield `      <failure${xmlAttributes({ message: messages[0] ?? body, type })}>${xmlText(body)}</failure>\n`;
  } else if (test.status === "errored") {
    const lines = errorLinesOf(test, options);
    const attributes = { message: mask(lines[0] ?? test.error.message), type: test.error.code };
    yield `      <error${xmlAttributes(attributes)}>${xmlText([...lines.map(mask), ...place].join("\n"))}</error>\n`;
  }
  if (output !== "") yield `      <system-out>${xmlText(mask(output))}</system-out>\n`;
}

function countsOf(tests: Iterable<TestResult>): Counts {
  const counts: Counts = { tests: 0, failures: 0, errors: 0, skipped: 0 };
  for (const test of tests) {
    counts.tests += 1;
    if (test.status === "skipped" || isAllowed(test)) counts.skipped += 1;
    else if (test.status === "failed") counts.failures += 1;
    else if (test.status === "errored") counts.errors += 1;
  }
  return counts;
}

/** A failure that does not count must not turn the CI red; JUnit has no other word for that. */
function isAllowed(test: TestResult): boolean {
  return test.status === "failed" && test.allowFailure !== null;
}

/** JUnit has properties of suites only, so each suite repeats those of the run. */
function propertiesOf(result: RunResult, redact: (text: string) => string): [string, string][] {
  return [
    ["kindlm.run", result.run.id],
    ["kindlm.version", result.kindlm],
    ["kindlm.seed", String(result.run.seed)],
    ["kindlm.verdict", result.verdict],
    ...result.gates.map((gate): [string, string] => [
      `kindlm.gate.${gate.name}`,
      `${gate.pass ? "passed" : "tripped"}: ${redact(gate.message)}`,
    ]),
  ];
}

/** How the suite stands against its baseline, where it has one. */
function comparisonOf({ comparison }: RunResult, suite: string): [string, string][] {
  const compared = comparison?.suites.find((one) => one.suite === suite);
  if (compared === undefined || compared.status === "none") return [];
  return [["kindlm.comparison", compared.status === "compared" ? compared.verdict : compared.error.code]];
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}

/** Untrusted text as XML character data: valid whatever it holds. */
function xmlText(text: string): string {
  return visible(text)
    .replaceAll(notXml, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}

/** Attributes in their order; line feeds and tabs are kept from being normalised away. */
function xmlAttributes(attributes: Readonly<Record<string, string | number>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => {
      const escaped = xmlText(String(value))
        .replaceAll('"', "&quot;")
        .replaceAll("\n", "&#10;")
        .replaceAll("\t", "&#9;");
      return ` ${name}="${escaped}"`;
    })
    .join("");
}
