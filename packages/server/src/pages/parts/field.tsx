import type { Child } from "hono/jsx";
import type { PageCall } from "../page.js";

interface FieldProps {
  label: string;
  name: string;
  call: Pick<PageCall, "sent">;
  type?: "text" | "email" | "password" | "number" | "url";
  hint?: string;
  autocomplete?: string;
  value?: string;
  isOptional?: boolean;
  /** Further attributes of the input, such as `maxlength`. */
  more?: Readonly<Record<string, string | number | boolean>>;
}

/** An input with its label. It has what was sent before, unless that is a password. */
export function Field({ label, name, call, type = "text", hint, autocomplete, value, isOptional, more }: FieldProps) {
  const sent = call.sent[name];
  const shown = type !== "password" && typeof sent === "string" ? sent : value;
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {hint === undefined ? null : (
        <p class="meta" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      <input
        id={name}
        name={name}
        type={type}
        value={shown}
        required={isOptional !== true}
        autocomplete={autocomplete ?? "off"}
        aria-describedby={hint === undefined ? undefined : `${name}-hint`}
        {...more}
      />
    </div>
  );
}

/** Why the form that was sent is refused. */
export function Problem({ call }: { call: Pick<PageCall, "problem"> }): Child {
  return call.problem === null ? null : (
    <p class="problem" role="alert">
      {call.problem}
    </p>
  );
}
