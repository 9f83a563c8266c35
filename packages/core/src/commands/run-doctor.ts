import { loadConfig } from "../config/load-config.js";
import type { ProjectPlace } from "../config/locate-root.js";
import type { ResolvedConfig } from "../config/resolved-config.js";
import { withRunWorld, type Environment, type RunWorld } from "../run/environment.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { failure, success, type Result } from "../result.js";
import { checkClock, checkEndpoint } from "../doctor/check-endpoint.js";
import { checkPackages } from "../doctor/check-packages.js";
import { checkConfig, checkProgram } from "../doctor/check-program.js";
import { collectEndpoints, modelsInUse } from "../doctor/collect-endpoints.js";
import type { DoctorCheck, DoctorReport } from "../doctor/doctor-report.js";
import { probeEndpoint } from "../doctor/probe-endpoint.js";
import { askAccount } from "../upload/client/ask-account.js";
import { openServer } from "../upload/client/open-server.js";

export type { DoctorCheck, DoctorReport } from "../doctor/doctor-report.js";

export interface DoctorOptions extends ProjectPlace {
  /** The version of Node.js that runs this, such as `v22.18.0`. */
  nodeVersion: string;
  /** Sends nothing. */
  offline?: boolean;
  /** In CI `only: true` is an error. */
  ci?: boolean;
}

/**
 * Looks at what a run needs, without asking any model: the config, the keys (set or not, never their values), whether
 * each server is there and takes its key, whether it has the models, and whether their prices are known. Servers are
 * asked at the same time, each with a deadline of 5 seconds.
 *
 * Fails where a run would not start (a missing or invalid config), and with ENGINE_ABORTED when it is interrupted. What
 * else is wrong is in the report.
 */
export function runDoctor(options: DoctorOptions, environment: Environment = {}): Promise<Result<DoctorReport>> {
  return withRunWorld(environment, (world) => examine(world, options));
}

async function examine(world: RunWorld, options: DoctorOptions): Promise<Result<DoctorReport>> {
  const loaded = await loadConfig({ ...options, ci: options.ci ?? false }, world);
  if (!loaded.success) return loaded;
  const config = loaded.data;
  const models = modelsInUse(config);
  const endpoints = collectEndpoints(models, config.env);
  const signal = world.signal ?? new AbortController().signal;
  const ports = { http: world.http, clock: world.clock, signal };
  const asked = options.offline === true ? [] : endpoints;
  const [uploads, ...probed] = await Promise.all([
    checkUploads(options, config, world),
    ...asked.map((endpoint) => probeEndpoint(endpoint, ports)),
  ]);
  if (signal.aborted) {
    const details = { hint: "Start the command again" };
    return failure(kindlmError("ENGINE_ABORTED", "The check was interrupted", { details }));
  }
  const clock = checkClock(probed.flatMap((probe) => probe?.clockAheadMs ?? []));
  const checks = [
    ...checkProgram(options.nodeVersion),
    ...checkConfig(config, models.length),
    ...checkPackages(config, models, options.nodeVersion),
    ...(clock === null ? [] : [clock]),
    ...uploads,
    ...endpoints.flatMap((endpoint, index) => checkEndpoint(endpoint, probed[index] ?? null, limitsCost(config))),
  ];
  return success({ isHealthy: checks.every(({ status }) => status !== "failed"), checks });
}

const mostUploadMs = 5_000;

/** Whether the results server takes uploads. Nothing if none is set; at most a warning, since tests never need it. */
async function checkUploads(
  options: DoctorOptions,
  { upload }: ResolvedConfig,
  world: RunWorld,
): Promise<readonly DoctorCheck[]> {
  const check = (status: DoctorCheck["status"], message: string, fix?: string): readonly DoctorCheck[] => [
    { name: "uploads", provider: null, status, message, ...(fix === undefined ? {} : { fix }) },
  ];
  if (!upload.success) return check("warning", upload.error.message, "Set it in one of the files");
  const { server: named, project } = upload.data;
  const address = world.env["KINDLM_SERVER"] || named;
  if (!address) return [];
  if (options.offline === true) return check("info", `${address}, not asked`);
  const bounds = { isBounded: true, mostMs: mostUploadMs };
  const opened = await openServer({ flag: undefined, config: named, project }, world, bounds);
  const asked = opened.success ? await askAccount(opened.data) : opened;
  if (!asked.success) {
    const { message, details } = asked.error;
    const hint = details !== undefined && "hint" in details ? details.hint : undefined;
    return check("warning", message, typeof hint === "string" ? hint : undefined);
  }
  const { server, user, organization, scopes, projects, expiresAt } = asked.data;
  if (!scopes.includes("runs:write")) {
    return check("warning", `The token for ${server} cannot upload`, "Use a token with the scope runs:write");
  }
  if (project !== null && !projects.includes(project)) {
    const fix = "Create it on the server, or check upload.project in the config";
    return check("warning", `Project "${project}" not found on ${server}`, fix);
  }
  const who = [user, organization, project].filter((name) => name !== null).join(", ");
  return check("ok", `${server}: ${who}${expiresAt === null ? "" : `, until ${expiresAt.slice(0, 10)}`}`);
}

/** Whether the config has a limit that counts money, so that an unknown price is more than a gap in a report. */
function limitsCost({ maxCostUsd, gates, suites }: ResolvedConfig): boolean {
  if (maxCostUsd !== null || gates.costUsd !== undefined) return true;
  return suites.some(
    (suite) => suite.status === "ready" && suite.tests.some(({ limits }) => limits.maxTrialCostUsd !== null),
  );
}
