import type { Diagnostic } from "../../errors/error-table.js";

/** What the machine does not allow the sandboxes of a run, and why; the commands run nevertheless. */
export interface SandboxLack {
  lacks: "files" | "everything";
  /** What the system said of each kind that keeps more apart. */
  reasons: readonly string[];
}

export function warnOfLack({ lacks, reasons }: SandboxLack): Diagnostic {
  const why = reasons.join("; ");
  const warning = { code: "ENGINE_FIXTURE_ERROR", severity: "warning" } as const;
  if (lacks === "everything") {
    const message = `The commands of workspaces ran without a sandbox: ${why}`;
    return { ...warning, message, hint: "Install bubblewrap, or accept it with workspace: { sandbox: false }" };
  }
  const message = `The sandbox of workspaces does not keep files apart, so commands could change what you can: ${why}`;
  return { ...warning, message, hint: "Install bubblewrap" };
}
