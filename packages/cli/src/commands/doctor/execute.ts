import { plural, visibleLine } from "@kindlm/core/program";
import { runDoctor, type DoctorCheck, type DoctorReport } from "@kindlm/core/commands/run-doctor";
import type { ErrorView } from "../../errors/render-error.js";
import type { CliEnvironment } from "../../environment.js";
import { isCi } from "../../terminal/is-ci.js";
import { printAnswer, printError } from "../print-answer.js";
import { wantsColor } from "../../terminal/wants-color.js";
import type { InvocationOf } from "../command-definition.js";
import type { doctorCommand } from "./command.js";
import { createColors, type Colors } from "../../terminal/colors.js";

const labels: { [N in DoctorCheck["name"]]: string } = {
  node: "Node.js",
  kindlm: "KindLM",
  terminal: "terminal",
  config: "config",
  suite: "suite",
  env_file: ".env",
  package: "package",
  clock: "clock",
  uploads: "uploads",
  key: "key",
  server: "server",
  model: "model",
  price: "price",
};

/** Longer names of models do not push all other lines to the right. */
const widestLabel = 24;

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
  const text = render(report, { color, verbose: global.verbose, asTyped: environment.asTyped });
  return printAnswer(invocation, { data, text, name: "report" }, report.isHealthy ? 0 : 1);
}

/** The abilities of the terminal are listed with the facts about the program. */
function withTerminal({ isHealthy, checks }: DoctorReport, { stdout }: CliEnvironment, color: boolean): DoctorReport {
  const columns = stdout.columns();
  const kind = stdout.isTerminal
    ? `stdout is a terminal${columns === undefined ? "" : ` of ${columns} columns`}`
    : "stdout is not a terminal, so progress is plain lines";
  const message = `${kind}, ${color ? "with" : "without"} colors`;
  const terminal: DoctorCheck = { name: "terminal", provider: null, status: "info", message };
  const first = checks.findIndex(({ name }) => name === "config");
  return { isHealthy, checks: checks.toSpliced(Math.max(0, first), 0, terminal) };
}

type DoctorView = Required<Omit<ErrorView, "digest">>;

/** A line for each check, what to do below it, provider by provider, and the verdict. */
function render({ isHealthy, checks }: DoctorReport, view: DoctorView): string {
  const colors = createColors(view.color);
  const width = Math.min(widestLabel, Math.max(...checks.map((check) => labelOf(check).length)));
  const lines: string[] = [];
  let provider: string | null = null;
  for (const check of checks) {
    if (check.provider !== provider) lines.push("", colors.bold(visibleLine(check.provider ?? "")));
    ({ provider } = check);
    lines.push(...renderCheck(check, width, colors, view));
  }
  return `${[...lines, "", renderVerdict(isHealthy, checks, colors)].join("\n")}\n`;
}

function renderCheck(check: DoctorCheck, width: number, colors: Colors, view: DoctorView): string[] {
  const below = " ".repeat(width + 4);
  const more = view.verbose ? (check.details ?? []) : [];
  return [
    `${symbolOf(check.status, colors)} ${labelOf(check).padEnd(width)}  ${visibleLine(check.message)}`,
    ...(check.fix === undefined ? [] : [`${below}${visibleLine(view.asTyped(check.fix))}`]),
    ...more.map((line) => colors.dim(`${below}${visibleLine(line)}`)),
  ];
}

function renderVerdict(isHealthy: boolean, checks: readonly DoctorCheck[], colors: Colors): string {
  const count = (status: DoctorCheck["status"]): number => checks.filter((check) => check.status === status).length;
  const warnings = count("warning");
  const noted = warnings === 0 ? "" : `, ${plural(warnings, "warning")}`;
  if (isHealthy) return colors.green(`Ready to run${noted}`);
  return colors.red(`${plural(count("failed"), "problem")}${noted}`);
}

function symbolOf(status: DoctorCheck["status"], colors: Colors): string {
  const symbols = {
    ok: colors.green("✓"),
    info: colors.dim("·"),
    warning: colors.yellow("⚠"),
    failed: colors.red("✗"),
  };
  return symbols[status];
}

function labelOf({ name, model }: DoctorCheck): string {
  return model === undefined ? labels[name] : `${labels[name]} ${visibleLine(model)}`;
}
