import { diagnosticsOf, validateConfig, visibleLine, type ValidationReport } from "@kindlm/core";
import { errorViewOf } from "../../error-view.js";
import { explainError } from "../../explain-error.js";
import { isCi } from "../../is-ci.js";
import { renderDiagnostics, renderError } from "../../render-error.js";
import type { Invocation } from "../command-definition.js";

export async function runValidateCommand(invocation: Invocation): Promise<number> {
  const { args, options, global, environment } = invocation;
  const { env, stdout, stderr } = environment;
  const view = errorViewOf(invocation);
  const wantsJson = options["json"] === true;
  const checked = await validateConfig([...args, ...global.config], environment.core, { ci: isCi(env) });
  if (!checked.success) {
    await stderr.write(renderError(checked.error, view));
    if (wantsJson) {
      const { code, message } = checked.error;
      const diagnostics = diagnosticsOf(checked.error);
      const error = { code, message, problems: explainError(checked.error, false) };
      await stdout.write(`${JSON.stringify({ valid: false, diagnostics, error }, null, 2)}\n`, "json");
    }
    return 1;
  }
  const report = checked.data;
  const isValid = report.diagnostics.every(({ severity }) => severity !== "error");
  await stderr.write(renderDiagnostics(report.diagnostics, view));
  const text = wantsJson
    ? `${JSON.stringify({ valid: isValid, ...report }, null, 2)}\n`
    : renderReport(report, isValid);
  await stdout.write(text, wantsJson ? "json" : "text");
  return isValid ? 0 : 1;
}

function renderReport(
  { suites, diagnostics, files, plugins = [], modelCalls }: ValidationReport,
  isValid: boolean,
): string {
  const lines = suites.map(({ name, status, tests, cases, trials }) => {
    const counts = `${plural(tests, "test")}, ${plural(cases, "case")}, ${plural(trials, "trial")}`;
    return `${visibleLine(name)}: ${status === "broken" ? `broken (${plural(tests, "test")})` : counts}`;
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
    `A run makes at least ${plural(modelCalls, "model call")}.`,
    "",
  ].join("\n");
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
