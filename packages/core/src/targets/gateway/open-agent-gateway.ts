import type { Result } from "../../result.js";
import type { ProgramSettings, TargetOpening } from "../define-target.js";
import type { Recorder } from "../program/recorder.js";
import type { Halt } from "../program/program-session.js";
import { errorReply, type AgentGateway, type GatewayHandler } from "./create-gateway-server.js";
import { serveChat } from "./chat/serve-chat.js";
import { createResponseMemory } from "./responses/create-response-memory.js";
import { serveResponses } from "./responses/serve-responses.js";
import { runToolsHere } from "./run-tools-here.js";
import { RoutedModel } from "./serve-model.js";
import { serveTools } from "./serve-tools.js";

/** Lets the agent of a trial in: to the tools of its test, and to the models when its requests go through KindLM. */
export function openAgentGateway(
  { runsTools }: ProgramSettings,
  opening: TargetOpening,
  recorder: Recorder,
  halt: Halt,
): Promise<Result<AgentGateway>> {
  const { route, tools, world, clock } = opening;
  const models = route === null ? null : new RoutedModel(route, opening, recorder, halt);
  const service = models === null || !runsTools ? models : runToolsHere(models, tools, recorder);
  const memory = createResponseMemory();
  const handler: GatewayHandler = async (request) => {
    const { method, path } = request;
    const served = await serveTools(request, tools, recorder);
    if (served !== null) return served;
    if (service !== null && path === "/v1/models" && method === "GET")
      return modelList(route?.[0].endpoint.model ?? "");
    if (service !== null && path === "/v1/chat/completions" && method === "POST") {
      return serveChat(request, service, recorder, clock);
    }
    if (service !== null && path === "/v1/responses" && method === "POST") {
      return serveResponses(request, service, recorder, memory, clock);
    }
    const offered =
      service === null
        ? "GET /tools and POST /tools/<name>"
        : "POST /v1/chat/completions, POST /v1/responses and /tools";
    return errorReply(404, "not_found", `KindLM does not serve ${method} ${path}; it serves ${offered}`);
  };
  return world.gateway.open(handler);
}

function modelList(id: string) {
  const body = JSON.stringify({ object: "list", data: [{ id, object: "model", created: 0, owned_by: "kindlm" }] });
  return { status: 200, headers: { "content-type": "application/json" }, body };
}
