import { diagnosticsOf, plural, visibleLine } from "@kindlm/core/program";
import { validateConfig, type ValidationReport } from "@kindlm/core";
import { errorViewOf } from "../../errors/error-view.js";
import { isCi } from "../../terminal/is-ci.js";
import { renderDiagnostics } from "../../errors/render-error.js";
import type { InvocationOf } from "../command-definition.js";
import type { validateCommand } from "./command.js";
import { printError, toJson } from "../print-answer.js";

export async function execute(invocation: InvocationOf<typeof validateCommand>): Promise<number> {
  const { args, flags, global, environment } = invocation;
  const { env, stdout, stderr, core } = environment;
  const checked = await validateConfig({ paths: [...args, ...global.config], ci: isCi(env) }, core);
  if (!checked.success) {
    const data = { valid: false, diagnostics: diagnosticsOf(checked.error) };
    return printError(invocation, checked.error, global.config, flags.json ? data : null);
  }
  const report = checked.data;
  const isValid = report.diagnostics.every(({ severity }) => severity !== "error");
  await stderr.write(renderDiagnostics(report.diagnostics, errorViewOf(invocation)));
  const text = flags.json ? toJson({ valid: isValid, ...report }) : renderReport(report, isValid, global.verbose);
  await stdout.write(text, flags.json ? "json" : "text");
  return isValid ? 0 : 1;
}

function renderReport(
  { suites, diagnostics, files, plugins = [], modelCalls, maxModelCalls }: ValidationReport,
  isValid: boolean,
  isVerbose: boolean,
): string {
  const lines = suites.flatMap(({ name, status, tests, cases, trials, maxTrials, tools = [] }) => {
    const counts = `${plural(tests, "test")}, ${plural(cases, "case")}, ${range(trials, maxTrials, "trial")}`;
    const described = isVerbose ? tools : [];
    return [
      `${visibleLine(name)}: ${status === "broken" ? `broken (${plural(tests, "test")})` : counts}`,
      ...described.map((tool) => `  ${visibleLine(tool.name)} takes ${visibleLine(JSON.stringify(tool.parameters))}`),
    ];
  });
  const sum = (key: "tests" | "cases" | "trials"): number => suites.reduce((total, suite) => total + suite[key], 0);
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const verdict = isValid ? "valid" : plural(errors, "problem");
  const ofPlugins = plugins.map(
    ({ name, module, hooks }) => `plugin ${visibleLine(name)} (${visibleLine(module)}): ${hooks.join(", ")}`,
  );
  return [
    ...lines,
    ...ofPlugins,
    `${files.map(visibleLine).join(", ")}: ${verdict}; ${plural(suites.length, "suite")}, ${plural(sum("tests"), "test")}, ${plural(sum("cases"), "case")}`,
    `A run makes at least ${range(modelCalls, maxModelCalls, "model call")}.`,
    "",
  ].join("\n");
}

/** `max`: with the trials that may be run to decide comparisons. */
function range(least: number, max: number | undefined, what: string): string {
  return max === undefined ? plural(least, what) : `${plural(least, what)} (up to ${max} to decide comparisons)`;
}
