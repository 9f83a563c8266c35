import { list } from "../shape/compound.js";
import { internal, orNull } from "../shape/field.js";
import { record } from "../shape/record.js";
import { count, oneOf, text } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";
import { positionShape } from "./source-position.js";

/** The fields of a diagnostic but its code: the codes are those of the table of errors, which knows diagnostics itself. */
export const diagnosticFields = {
  always: {
    severity: internal(oneOf(["error", "warning"])),
    /** What is wrong, one line without a full stop, such as `Unknown assertion type "tool_caled"`. */
    message: text,
    /** What to do, such as `Did you mean "tool_called"?`; one line. */
    hint: orNull(text),
    position: orNull(positionShape),
  },
  sometimes: {
    /** Where in a config that is an object, such as `suites[0].tests[1].assert[0]`; it has no position. */
    path: internal(text),
    /** The lines around the position, already cut to a readable width. */
    frame: internal(list(record({ line: count, text }))),
    /** Where a file is named, such as `suite "order-agent", test "happy-path"`. */
    referencedIn: internal(text),
    /** Name of the suite that the position is part of, if it has one. */
    suite: internal(text),
    /** Name of the test that the position is part of, if it has one. */
    test: internal(text),
  },
};

const codelessShape = record(diagnosticFields.always, diagnosticFields.sometimes);
export type CodelessDiagnostic = Static<typeof codelessShape>;
