import type { PageCall } from "../page.js";
import { Field } from "./field.js";

/** A field for the secret of a link, which the script of the pages takes from there: servers never see that part of it. */
export function SecretField({ call, label }: { call: PageCall; label: string }) {
  return (
    <Field
      call={call}
      label={label}
      name="secret"
      hint="What follows # in the link"
      more={{ "data-from-link": true, spellcheck: "false", autocapitalize: "off" }}
    />
  );
}
