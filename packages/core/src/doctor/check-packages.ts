import { createRequire } from "node:module";
import path from "node:path";
import type { ResolvedConfig } from "../config/resolved-config.js";
import type { ResolvedModel } from "../config/resolved-model.js";
import { attemptSync } from "../errors/boundary.js";
import { isRecord } from "../values/json.js";
import { isAtLeast } from "./check-program.js";
import type { DoctorCheck } from "./doctor-report.js";

/** Whether a package can be loaded from a file of this folder, or from KindLM's own. */
export type IsInstalled = (name: string, folder: string) => boolean;

/** Optional packages that something in the config needs. */
export function checkPackages(
  config: Pick<ResolvedConfig, "suites" | "plugins" | "root" | "env">,
  models: readonly ResolvedModel[],
  nodeVersion: string,
  isInstalled: IsInstalled = isResolvable,
): readonly DoctorCheck[] {
  const checks: DoctorCheck[] = [];
  const peers = new Map<string, string>();
  for (const { definition, settings } of models) {
    for (const name of definition.inspect(settings, config.env)?.peers ?? []) peers.set(name, definition.label);
  }
  for (const [name, label] of peers) checks.push(checkPeer(name, label, isInstalled(name, config.root)));
  const [module] = typeScriptModules(config);
  if (module !== undefined) checks.push(checkLoader(module, nodeVersion, isInstalled("jiti", module.folder)));
  return checks;
}

function checkPeer(name: string, label: string, isThere: boolean): DoctorCheck {
  const about = { name: "package", provider: null } as const;
  if (isThere) return { ...about, status: "ok", message: `${name} is installed, for ${label}` };
  const fix = `Run: npm install --save-dev ${name}`;
  return { ...about, status: "failed", message: `${name} is not installed; ${label} needs it`, fix };
}

function checkLoader({ file }: TypeScriptModule, nodeVersion: string, isThere: boolean): DoctorCheck {
  const about = { name: "package", provider: null } as const;
  if (isThere) return { ...about, status: "ok", message: `jiti is installed, for ${file}` };
  const fix = "Run: npm install --save-dev jiti";
  return stripsTypes(nodeVersion)
    ? { ...about, status: "info", message: `jiti is not installed; Node.js loads ${file} itself, without enums`, fix }
    : { ...about, status: "failed", message: `jiti is not installed; ${file} needs it`, fix };
}

interface TypeScriptModule {
  file: string;
  folder: string;
}

/** Plugins, checks and tools of the user's own that are written in TypeScript. */
function typeScriptModules({
  suites,
  plugins,
}: Pick<ResolvedConfig, "suites" | "plugins">): readonly TypeScriptModule[] {
  const ofPlugins = plugins.flatMap(({ file }) => typeScriptFile(file, ""));
  const ofSuites = suites.flatMap((suite) => {
    if (suite.status !== "ready") return [];
    return suite.tests.flatMap(({ assertions, input, tools }) => {
      const turns = input.kind === "conversation" ? input.userTurns.flatMap((turn) => turn.assertions) : [];
      const ofTools = tools.flatMap((tool) => (tool.kind === "module" ? typeScriptFile(tool.file, "") : []));
      const ofChecks = [...assertions, ...turns].flatMap(({ raw, baseDir }) =>
        modulesIn(raw).flatMap((written) => {
          const [file = ""] = written.split("#");
          return typeScriptFile(file, baseDir);
        }),
      );
      return [...ofTools, ...ofChecks];
    });
  });
  return [...ofPlugins, ...ofSuites];
}

function typeScriptFile(file: string, baseDir: string): readonly TypeScriptModule[] {
  return /\.[mc]?ts$/.test(file) ? [{ file, folder: path.dirname(path.resolve(baseDir, file)) }] : [];
}

/** Groups hold assertions, so the whole is searched. */
function modulesIn(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap(modulesIn);
  if (!isRecord(node)) return [];
  const own = node["type"] === "module" && typeof node["module"] === "string" ? [node["module"]] : [];
  return [...own, ...Object.values(node).flatMap(modulesIn)];
}

/** From these versions on Node.js takes the types out of TypeScript without a flag. */
function stripsTypes(nodeVersion: string): boolean {
  return /^v?22\./.test(nodeVersion) ? isAtLeast(nodeVersion, [22, 18]) : isAtLeast(nodeVersion, [23, 6]);
}

function isResolvable(name: string, folder: string): boolean {
  return [path.join(folder, "package.json"), import.meta.url].some((from) => {
    const found = attemptSync(
      () => createRequire(from).resolve(name),
      (cause) => (cause instanceof Error && "code" in cause ? cause.code : null),
    );
    // Found, but made for import alone.
    return found.success || found.error === "ERR_PACKAGE_PATH_NOT_EXPORTED";
  });
}
