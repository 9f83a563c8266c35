import type { ProgramTarget } from "../../targets/registry.js";
import { ignored, ofAgent, partOf, type Fields, type FieldParts } from "../../config/settings/field-parts.js";
import type { IdentityScope } from "./identity-scope.js";

type TargetOf<Kind extends ProgramTarget["kind"]> = Extract<ProgramTarget, { kind: Kind }>;

/** What a program under test is, where it stands and whatever key it is given. */
export function createTargetPart(scope: IdentityScope): (target: ProgramTarget) => unknown {
  const masked: FieldParts<unknown> = { agent: scope.withoutSecrets };
  // The id is part of the id of the case.
  const shared = { kind: ofAgent, id: ignored, proxy: ofAgent, runsTools: ofAgent };
  const command: Fields<TargetOf<"command">> = {
    ...shared,
    command: { agent: (line, target) => [scope.lineOf(line), scope.contentsOf(scope.files.ofTarget(target))] },
    isShell: ofAgent,
    protocol: ofAgent,
    env: masked,
    cwd: { agent: scope.placeOf },
  };
  const http: Fields<TargetOf<"http">> = {
    ...shared,
    url: { agent: scope.addressOf },
    method: ofAgent,
    headers: masked,
    body: masked,
    response: ofAgent,
  };
  const module: Fields<TargetOf<"module">> = {
    ...shared,
    file: { agent: (_file, target) => scope.contentsOf(scope.files.ofTarget(target)) },
    exportName: ofAgent,
    with: masked,
  };
  return (target) => {
    switch (target.kind) {
      case "command":
        return partOf(target, command, "agent");
      case "http":
        return partOf(target, http, "agent");
      case "module":
        return partOf(target, module, "agent");
    }
  };
}
