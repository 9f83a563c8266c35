import { runDoctor, type DoctorCheck, type DoctorReport } from "@kindlm/core";
import type { CliEnvironment } from "../../environment.js";
import { errorViewOf } from "../../error-view.js";
import { explainError } from "../../explain-error.js";
import { isCi } from "../../is-ci.js";
import { renderError } from "../../render-error.js";
import { wantsColor } from "../../wants-color.js";
import type { Invocation } from "../command-definition.js";
import { renderDoctorReport } from "./render-doctor-report.js";

export async function runDoctorCommand(invocation: Invocation): Promise<number> {
  const { args, options, global, environment } = invocation;
  const { env, stdout, stderr, nodeVersion } = environment;
  const wantsJson = options["json"] === true;
  const paths = [...args, ...global.config];
  const checked = await runDoctor(
    { paths, nodeVersion, offline: options["offline"] === true, ci: isCi(env) },
    environment.core,
  );
  if (!checked.success) {
    const { error } = checked;
    await stderr.write(renderError(error, errorViewOf(invocation, paths)));
    if (wantsJson) {
      const problems = explainError(error, false);
      await stdout.write(
        toJson({ healthy: false, error: { code: error.code, message: error.message, problems } }),
        "json",
      );
    }
    return 1;
  }
  const color = wantsColor(environment, stdout, global.color);
  const report = withTerminal(checked.data, environment, color);
  const text = wantsJson
    ? toJson({ healthy: report.isHealthy, checks: report.checks })
    : renderDoctorReport(report, { color, verbose: global.verbose });
  const problem = await stdout.write(text, wantsJson ? "json" : "text");
  if (problem !== null) await stderr.write(`✗ The report could not be written: ${problem}\n`);
  return report.isHealthy && problem === null ? 0 : 1;
}

/** What the terminal can show stands beside what the program itself is. */
function withTerminal({ isHealthy, checks }: DoctorReport, { stdout }: CliEnvironment, color: boolean): DoctorReport {
  const columns = stdout.columns();
  const kind = stdout.isTerminal
    ? `stdout is a terminal${columns === undefined ? "" : ` of ${columns} columns`}`
    : "stdout is no terminal, so that progress is plain lines";
  const message = `${kind}, ${color ? "with" : "without"} colors`;
  const terminal: DoctorCheck = { name: "terminal", provider: null, status: "info", message };
  const first = checks.findIndex(({ name }) => name === "config");
  return { isHealthy, checks: checks.toSpliced(Math.max(0, first), 0, terminal) };
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
