import { visibleLine, type DoctorCheck, type DoctorReport } from "@kindlm/core";
import picocolors from "picocolors";
import { plural } from "../../plural.js";

export interface DoctorView {
  color: boolean;
  verbose: boolean;
}

type Colors = ReturnType<typeof picocolors.createColors>;

const labels: { [N in DoctorCheck["name"]]: string } = {
  node: "Node.js",
  kindlm: "KindLM",
  terminal: "terminal",
  config: "config",
  suite: "suite",
  env_file: ".env",
  package: "package",
  clock: "clock",
  key: "key",
  server: "server",
  model: "model",
  price: "price",
};

/** Longer names of models do not push all other lines to the right. */
const widestLabel = 24;

/** A line for each check, what to do below it, provider by provider, and the verdict. */
export function renderDoctorReport({ isHealthy, checks }: DoctorReport, view: DoctorView): string {
  const colors = picocolors.createColors(view.color);
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
    ...(check.fix === undefined ? [] : [`${below}${visibleLine(check.fix)}`]),
    ...more.map((line) => colors.dim(`${below}${visibleLine(line)}`)),
  ];
}

function renderVerdict(isHealthy: boolean, checks: readonly DoctorCheck[], colors: Colors): string {
  const count = (status: DoctorCheck["status"]): number => checks.filter((check) => check.status === status).length;
  const warnings = count("warning");
  const noted = warnings === 0 ? "" : `, ${plural(warnings, "warning")}`;
  if (isHealthy) return colors.green(`Nothing is in the way of a run${noted}`);
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
