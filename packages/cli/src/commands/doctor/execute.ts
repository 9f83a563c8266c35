import { runDoctor, type DoctorCheck, type DoctorReport } from "@kindlm/core";
import type { CliEnvironment } from "../../environment.js";
import { isCi } from "../../is-ci.js";
import { printAnswer, printError } from "../../print-answer.js";
import { wantsColor } from "../../wants-color.js";
import type { InvocationOf } from "../command-definition.js";
import type { doctorCommand } from "./command.js";
import { renderDoctorReport } from "./render-doctor-report.js";

export async function execute(invocation: InvocationOf<typeof doctorCommand>): Promise<number> {
  const { args, flags, global, environment } = invocation;
  if (flags.chaos) return (await import("./run-chaos.js")).runChaos(invocation);
  const { env, stdout, nodeVersion, core } = environment;
  const paths = [...args, ...global.config];
  const checked = await runDoctor({ paths, nodeVersion, offline: flags.offline, ci: isCi(env) }, core);
  if (!checked.success) return printError(invocation, checked.error, paths, flags.json ? { healthy: false } : null);
  const color = wantsColor(environment, stdout, global.color);
  const report = withTerminal(checked.data, environment, color);
  const data = { healthy: report.isHealthy, checks: report.checks };
  const text = renderDoctorReport(report, { color, verbose: global.verbose });
  return printAnswer(invocation, { data, text, name: "report" }, report.isHealthy ? 0 : 1);
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
