import type { JudgeQuestion, JudgeReply, ModelPorts } from "../../assertions/model-ports.js";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { compileSchema } from "../../json-schema/compile-schema.js";
import type { PlannedCase } from "../../plan/run-plan.js";
import { callModel, type ModelCall } from "../../resilience/call-model.js";
import type { ModelRoute } from "../../resilience/model-route.js";
import { failure, success, type Result } from "../../result.js";
import { toTurnRecord } from "../../targets/model/to-turn-record.js";
import { toJudgingRecord, type JudgingCall, type JudgingRecord } from "../../transcript/judging.js";
import { spentUsdOf } from "../../transcript/turn.js";
import { createEmbedder, type EmbedderSettings } from "./create-embedder.js";
import { judgeError } from "./judge-error.js";
import { readJudgeReply } from "./read-judge-reply.js";
import { refusesStructure, structuredRoute } from "./structured-route.js";

export interface JudgingSettings extends EmbedderSettings {
  planned: Pick<PlannedCase, "judges" | "embedders">;
  baselineAnswer: ModelPorts["baselineAnswer"];
  /** What was asked when the trial was evaluated before. */
  earlier: readonly JudgingCall[];
}

/** What asks models about one trial. */
export interface Judging {
  ports: ModelPorts;
  /** Null while nothing was asked. */
  record(): JudgingRecord | null;
}

/** How often a judge is asked one question before its replies are given up on. */
const mostTries = 3;

/** A judge as this trial has come to know it. */
interface OpenJudge {
  route: ModelRoute;
  /** Where on the route it is; who stood in once goes on, so that a dead model is not waited for again and again. */
  position: number;
}

export function createJudging(settings: JudgingSettings): Judging {
  const { planned, origin, budget, clock, random, signal } = settings;
  const calls: JudgingCall[] = [...settings.earlier];
  const open = new Map<string | null, Result<OpenJudge>>();
  /** Ids of the models that refused to answer in a given schema. */
  const unstructured = new Set<string>();

  const openJudge = (name: string | null): Result<OpenJudge> => {
    const known = open.get(name);
    if (known !== undefined) return known;
    const asked = planned.judges.get(name);
    if (asked === undefined) return failure(unknownJudge(name));
    const route = settings.routeThrough(asked.models);
    const opened: Result<OpenJudge> = route.success
      ? success({ route: route.data, position: 0 })
      : failure(judgeError(route.error, asked.models[0].model.id, 0));
    open.set(name, opened);
    return opened;
  };

  const callOnce = async (judge: OpenJudge, { system, schema }: JudgeQuestion, prompt: string): Promise<ModelCall> => {
    const request = calls.length + 1;
    const route = structuredRoute(judge.route, schema, unstructured);
    const messages = [{ role: "user" as const, content: prompt }];
    const question = { system, messages, tools: [], origin: { ...origin, turn: request } };
    const ports = { budget, clock, random, listener: settings.listenTo(request, "judge") };
    const call = await callModel(question, route, judge.position, ports, { signal });
    judge.position = call.position;
    const record = toTurnRecord(request, 0, call, route);
    calls.push({ ...record, role: "judge", model: idOf(judge.route, 0) });
    budget.spend(spentUsdOf(record));
    return call;
  };

  /** Without the schema, where the model knows no such thing. */
  const call = async (judge: OpenJudge, question: JudgeQuestion, prompt: string): Promise<ModelCall> => {
    const called = await callOnce(judge, question, prompt);
    const model = idOf(judge.route, called.position);
    if (called.result.success || signal.aborted || unstructured.has(model)) return called;
    if (!refusesStructure(called.result.error)) return called;
    unstructured.add(model);
    return callOnce(judge, question, prompt);
  };

  const askJudge = async (name: string | null, question: JudgeQuestion): Promise<Result<JudgeReply>> => {
    const opened = openJudge(name);
    if (!opened.success) return opened;
    const validator = compileSchema(question.schema);
    if (!validator.success) return validator;
    const judge = opened.data;
    const asked = idOf(judge.route, 0);
    const first = calls.length;
    let prompt = question.prompt;
    let reason = "";
    let body = "";
    // It is asked again only because of what it replied.
    for (let tries = 1; tries <= mostTries; tries += 1) {
      if (signal.aborted) return failure(kindlmError("ENGINE_ABORTED", "The trial was stopped"));
      const { result, position } = await call(judge, question, prompt);
      if (signal.aborted) return failure(kindlmError("ENGINE_ABORTED", "The trial was stopped"));
      if (!result.success) return failure(judgeError(result.error, asked, tries));
      const read = readJudgeReply(result.data, question.prompt, validator.data);
      if (read.success) {
        const { costUsd } = toJudgingRecord(calls.slice(first));
        return success({ value: read.data, model: idOf(judge.route, position), costUsd });
      }
      reason = read.error;
      body = result.data.text;
      prompt = `${question.prompt}\n\nYour last reply could not be used: it ${reason}. Reply with the JSON object alone.`;
    }
    const message = `The judge ${asked} gave no usable reply in ${mostTries} tries: the last one ${reason}`;
    return failure(
      kindlmError("JUDGE_EVAL_ERROR", message, {
        details: { judge: asked, tries: mostTries, body: body.slice(0, 2_000) },
      }),
    );
  };

  return {
    ports: {
      askJudge,
      embed: createEmbedder(settings, calls),
      baselineAnswer: settings.baselineAnswer,
    },
    record: () => (calls.length === 0 ? null : toJudgingRecord(calls)),
  };
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
