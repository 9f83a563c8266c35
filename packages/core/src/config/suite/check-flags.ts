import type { WrittenTest } from "../schema/suite-schema.js";
import { report, type Section } from "../source/section.js";

/** Reports settings of a test that conflict with where it runs, or with each other. */
export function checkFlags(section: Section, test: WrittenTest, isCi: boolean): void {
  if (test.only === true && isCi) {
    report(section, {
      path: ["only"],
      message: `Test "${test.name}" says "only: true", which would leave out the others in CI`,
      hint: "Remove it, or choose tests with -t",
    });
  }
  if (test.critical === true && test.allow_failure !== undefined) {
    report(section, {
      path: ["critical"],
      atKey: true,
      severity: "warning",
      message: `"critical" has no effect on test "${test.name}": "allow_failure" lets it fail`,
      hint: "Remove one of the two",
    });
  }
}
