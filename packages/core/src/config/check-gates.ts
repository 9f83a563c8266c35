import type { WrittenConfig } from "./schema/config-schema.js";
import type { WrittenGates } from "./schema/gates-schema.js";
import { report, type Section } from "./source/section.js";

/** Warns of gates that cannot decide anything, because failed and errored tests fail the run before. */
export function checkGates(
  section: Section,
  gates: WrittenGates | undefined,
  { exit_on: exitOn }: Pick<WrittenConfig, "exit_on">,
): void {
  if (gates === undefined || exitOn === "gates") return;
  const hint = "Add exit_on: gates at the top level, so the gates decide about failed tests";
  const idle = { atKey: true, severity: "warning" } as const;
  if (gates.pass_rate !== undefined) {
    const message = "This gate decides nothing: any failed test already gives exit code 1";
    report(section, { ...idle, path: ["gates", "pass_rate"], message, hint });
  }
  if (gates.errored !== undefined && gates.errored > 0) {
    const message = "This gate decides nothing: any errored test already gives exit code 1";
    report(section, { ...idle, path: ["gates", "errored"], message, hint });
  }
}
