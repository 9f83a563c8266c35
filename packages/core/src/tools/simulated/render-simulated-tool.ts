import { parseMatcher } from "../../matchers/parse-matcher.js";
import { failure, success, type Result } from "../../result.js";
import { lookUp, placeholdersIn, renderTemplate } from "../../values/template.js";
import { isStateName } from "../render-answer.js";
import type { SimulatedResponse, SimulatedToolConfig } from "../tool-config.js";
import type { AnswerScope } from "../tool-handler.js";

/** Fills the placeholders in the conditions of a tool's responses; the answers are filled in call by call. */
export function renderSimulatedTool<Tool extends Pick<SimulatedToolConfig, "responses">>(
  tool: Tool,
  scope: AnswerScope,
): Result<Tool, string> {
  if (tool.responses.every((response) => response.whenTemplate === undefined)) return success(tool);
  const responses: SimulatedResponse[] = [];
  for (const [index, response] of tool.responses.entries()) {
    const rendered = renderCondition(response, scope);
    if (!rendered.success) return failure(`response ${index + 1}: ${rendered.error}`);
    responses.push(rendered.data);
  }
  return success({ ...tool, responses });
}

function renderCondition(response: SimulatedResponse, scope: AnswerScope): Result<SimulatedResponse, string> {
  const { whenTemplate, ...rest } = response;
  if (whenTemplate === undefined) return success(response);
  const names = placeholdersIn(whenTemplate).map(({ name }) => name);
  if (names.some(isStateName)) {
    // The state has no value before the call, and what is filled in once is never looked at again.
    const unknown = names.find((name) => !isStateName(name) && !lookUp(name, { values: scope }).success);
    return unknown === undefined ? success(response) : failure(`unknown placeholder {{${unknown}}}`);
  }
  const filled = renderTemplate(whenTemplate, { values: scope });
  if (!filled.success) return failure(`unknown placeholder {{${filled.error[0]?.name ?? ""}}}`);
  const matcher = parseMatcher(filled.data);
  return matcher.success ? success({ ...rest, when: matcher.data }) : failure(matcher.error[0]?.message ?? "not valid");
}
