import type { JudgeQuestion, JudgeReply } from "../../assertions/model-ports.js";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { trialStopped } from "../../errors/trial-stopped.js";
import { compileSchema } from "../../json-schema/compile-schema.js";
import type { PlannedCase } from "../../plan/run-plan.js";
import { callModel, type ModelCall } from "../../resilience/call-model.js";
import type { ModelRoute } from "../../resilience/model-route.js";
import { failure, success, type Result } from "../../result.js";
import { toTurnRecord } from "../../targets/model/to-turn-record.js";
import { auxiliaryTotalsOf } from "../../transcript/auxiliary-totals.js";
import { spentUsdOf } from "../../transcript/turn.js";
import type { EmbedderSettings } from "./create-embedder.js";
import { judgeError } from "./judge-error.js";
import type { JudgingCall } from "./judging-record.js";
import { refusesStructure, structuredRoute } from "./structured-route.js";
import type { SchemaValidator } from "../../json-schema/schema-validator.js";
import type { ProviderResponse } from "../../providers/provider.js";
import { isRecord, type JsonObject } from "../../values/json.js";
import { parseJson } from "../../values/parse-json.js";

/** How often a judge is asked one question before its replies are given up on. */
const mostTries = 3;

/** A judge as this trial has come to know it. */
interface OpenJudge {
  route: ModelRoute;
  /** Its position on the route; a fallback that answered once continues, so nobody waits for a dead model again and again. */
  position: number;
}

export interface JudgePanelSettings extends Omit<EmbedderSettings, "planned"> {
  planned: Pick<PlannedCase, "judges">;
}

/** The judges of one trial. Each request is added to `calls`, which embedders share. */
export class JudgePanel {
  readonly #settings: JudgePanelSettings;
  readonly #calls: JudgingCall[];
  readonly #open = new Map<string | null, Result<OpenJudge>>();
  /** Ids of the models that refused to answer in a given schema. */
  readonly #unstructured = new Set<string>();

  constructor(settings: JudgePanelSettings, calls: JudgingCall[]) {
    this.#settings = settings;
    this.#calls = calls;
  }

  async ask(name: string | null, question: JudgeQuestion): Promise<Result<JudgeReply>> {
    const opened = this.#openJudge(name);
    if (!opened.success) return opened;
    const validator = compileSchema(question.schema);
    if (!validator.success) return validator;
    const { signal } = this.#settings;
    const judge = opened.data;
    const asked = idOf(judge.route, 0);
    const first = this.#calls.length;
    let prompt = question.prompt;
    let reason = "";
    let body = "";
    // It is asked again only because of what it replied.
    for (let tries = 1; tries <= mostTries; tries += 1) {
      if (signal.aborted) return failure(trialStopped());
      const { result, position } = await this.#call(judge, question, prompt);
      if (signal.aborted) return failure(trialStopped());
      if (!result.success) return failure(judgeError(result.error, asked, tries));
      const read = readJudgeReply(result.data, question.prompt, validator.data);
      if (read.success) {
        const { costUsd } = auxiliaryTotalsOf(this.#calls.slice(first));
        return success({ value: read.data, model: idOf(judge.route, position), costUsd });
      }
      reason = read.error;
      body = result.data.text;
      prompt = `${question.prompt}\n\nYour last reply could not be used: it ${reason}. Reply with the JSON object alone.`;
    }
    const message = `The judge ${asked} gave no usable reply in ${mostTries} tries: the last one ${reason}`;
    const details = { judge: asked, tries: mostTries, body: body.slice(0, 2_000) };
    return failure(kindlmError("JUDGE_EVAL_ERROR", message, { details }));
  }

  #openJudge(name: string | null): Result<OpenJudge> {
    const { planned, routeThrough } = this.#settings;
    const known = this.#open.get(name);
    if (known !== undefined) return known;
    const asked = planned.judges.get(name);
    if (asked === undefined) return failure(unknownJudge(name));
    const route = routeThrough(asked.models);
    const opened: Result<OpenJudge> = route.success
      ? success({ route: route.data, position: 0 })
      : failure(judgeError(route.error, asked.models[0].model.id, 0));
    this.#open.set(name, opened);
    return opened;
  }

  /** Without the schema, if the model does not support one. */
  async #call(judge: OpenJudge, question: JudgeQuestion, prompt: string): Promise<ModelCall> {
    const called = await this.#callOnce(judge, question, prompt);
    const model = idOf(judge.route, called.position);
    if (called.result.success || this.#settings.signal.aborted || this.#unstructured.has(model)) return called;
    if (!refusesStructure(called.result.error)) return called;
    this.#unstructured.add(model);
    return this.#callOnce(judge, question, prompt);
  }

  async #callOnce(judge: OpenJudge, { system, schema }: JudgeQuestion, prompt: string): Promise<ModelCall> {
    const { origin, budget, clock, random, signal, listenTo } = this.#settings;
    const request = this.#calls.length + 1;
    const route = structuredRoute(judge.route, schema, this.#unstructured);
    const messages = [{ role: "user" as const, content: prompt }];
    const question = { system, messages, tools: [], origin: { ...origin, turn: request } };
    const ports = { budget, clock, random, listener: listenTo(request, "judge") };
    const call = await callModel(question, route, judge.position, ports, { signal });
    judge.position = call.position;
    const record = toTurnRecord(request, 0, call, route);
    this.#calls.push({ ...record, role: "judge", model: idOf(judge.route, 0) });
    budget.spend(spentUsdOf(record));
    return call;
  }
}

function idOf(route: ModelRoute, position: number): string {
  return (route[position] ?? route[0]).endpoint.model;
}

/** The config names every judge that it knows of beforehand; a row of a dataset cannot bring another. */
function unknownJudge(name: string | null): KindlmError {
  const message =
    name === null
      ? "No judge is named for this test"
      : `The judge "${name}" is not known to this test: its name must be the same for every row`;
  return kindlmError("JUDGE_EVAL_ERROR", message, { details: name === null ? {} : { judge: name } });
}

/**
 * The object of a judge's reply; else why it cannot be used, which goes on behind "it ". An object among words
 * that is also in the prompt is a quotation: the agent wrote it, so that it be taken for the judge's own.
 */
function readJudgeReply(
  response: ProviderResponse,
  prompt: string,
  validator: SchemaValidator,
): Result<JsonObject, string> {
  const { finishReason, toolCalls } = response;
  if (finishReason.unified === "length") return failure("was cut off; raise max_tokens of the judge if it recurs");
  if (finishReason.unified === "refusal" || finishReason.unified === "content_filter") return failure("is a refusal");
  if (toolCalls.length > 0) return failure("calls a tool");
  const text = response.text.trim();
  if (text === "") return failure("is empty");
  const written = text.slice(Math.max(0, text.indexOf("{")), text.lastIndexOf("}") + 1);
  const value = parseObject(written);
  if (value === null) return failure("is not one JSON object");
  if (written !== text && plain(prompt).includes(plain(written))) return failure("quotes an object of the material");
  const [problem] = validator.validate(value);
  if (problem === undefined) return success(value);
  return failure(`has the wrong form: ${problem.path === "" ? "the object" : problem.path} ${problem.message}`);
}

/**
 * What lies between the first brace and the last is taken, without a code fence or words around it. Where the words hold
 * an object too, it is unknown which was meant: that does not count as JSON.
 */
function parseObject(written: string): JsonObject | null {
  const parsed = parseJson(written);
  return parsed.success && isRecord(parsed.data) ? parsed.data : null;
}

/** Tool calls are shown as JSON, where what an agent wrote has a backslash before each quotation mark. */
function plain(text: string): string {
  return text.replaceAll(/[\s\\]+/g, "");
}
