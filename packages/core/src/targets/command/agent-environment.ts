import type { TargetOpening } from "../define-target.js";
import type { AgentGateway } from "../gateway/create-gateway-server.js";
import type { CommandTargetConfig } from "./command-settings.js";

type Env = Readonly<Record<string, string | undefined>>;

/** What the program finds in its environment, over that of KindLM. Its own `env` of the config comes last. */
export function agentEnvironment(
  config: CommandTargetConfig,
  opening: TargetOpening,
  gateway: AgentGateway,
  session: string,
): Env {
  const { world, origin, system, route } = opening;
  return {
    ...world.env,
    ...withoutProxy(world.env),
    KINDLM_CASE: origin.caseId,
    KINDLM_TRIAL: String(origin.trial),
    KINDLM_SEED: String(origin.seed),
    KINDLM_SESSION: session,
    KINDLM_TOOLS_URL: `${gateway.url}/tools`,
    KINDLM_TOKEN: gateway.token,
    KINDLM_SYSTEM_PROMPT: system ?? undefined,
    ...(route === null
      ? {}
      : {
          KINDLM_BASE_URL: `${gateway.url}/v1`,
          KINDLM_MODEL: route[0].endpoint.model,
          OPENAI_BASE_URL: `${gateway.url}/v1`,
          OPENAI_API_BASE: `${gateway.url}/v1`,
          OPENAI_API_KEY: gateway.token,
        }),
    ...config.env,
  };
}

/** Where the user has an HTTP proxy, requests to KindLM itself must not go to it. */
function withoutProxy(env: Env): Env {
  const names = Object.keys(env).filter((name) => /^(https?|all)_proxy$/i.test(name) && env[name]);
  if (names.length === 0) return {};
  const spared = [env["NO_PROXY"] ?? env["no_proxy"], "127.0.0.1"].filter(Boolean).join(",");
  return { NO_PROXY: spared, no_proxy: spared };
}
