import type { ResolvedTest } from "../resolved-config.js";
import { plural } from "../../values/plural.js";
import type { WrittenPass, WrittenRuns } from "../schema/settings-schema.js";
import { report, type Section } from "../source/section.js";
import type { Path } from "../source/written.js";

/** A level at which `runs` and `pass` may be written, with the place of its keys. */
export interface RunsLevel {
  section: Section;
  path: Path;
  written: { runs?: WrittenRuns | undefined; pass?: WrittenPass | undefined } | undefined;
}

type ResolvedRuns = Pick<ResolvedTest, "runs" | "maxRuns" | "pass">;

/** Trials per case and how many must pass, from the nearest level that sets each. The levels come from near to far. */
export function resolveRuns(levels: readonly RunsLevel[], testName: string): ResolvedRuns {
  const written = levels.find((level) => level.written?.runs !== undefined)?.written?.runs;
  const passLevel = levels.find((level) => level.written?.pass !== undefined);
  const pass = passLevel?.written?.pass;
  const runs = written?.min ?? pass?.of ?? 1;
  const max = written === undefined || written.max === null ? {} : { maxRuns: written.max };
  if (passLevel === undefined || pass === undefined) return { runs, ...max, pass: null };
  const trials = plural(runs, "trial");
  const path = [...passLevel.path, "pass"];
  if (pass.of !== null && pass.of !== runs) {
    const message = `"pass" is ${pass.count}/${pass.of}, but test "${testName}" has ${trials}`;
    report(passLevel.section, {
      path,
      message,
      hint: `Write ${Math.min(pass.count, runs)}/${runs}, or set runs: ${pass.of}`,
    });
  } else if (pass.count > runs) {
    const message = `"pass" asks for ${pass.count} passing trials, but test "${testName}" has ${trials}`;
    report(passLevel.section, { path, message, hint: `Set runs: ${pass.count} or more` });
  }
  return { runs, ...max, pass: pass.count };
}
