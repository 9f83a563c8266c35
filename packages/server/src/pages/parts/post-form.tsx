import type { Child } from "hono/jsx";
import type { PageCall } from "../page.js";

interface PostFormProps {
  /** The path of an action. */
  action: string;
  /** That of the call. */
  csrf: string;
  class?: string;
  children?: Child;
}

/** A form with the token without which the server refuses it. */
export function PostForm({ action, csrf, class: name, children }: PostFormProps) {
  return (
    <form method="post" action={action} class={name}>
      {children}
      <input type="hidden" name="csrf" value={csrf} />
    </form>
  );
}

interface OneButtonProps {
  call: Pick<PageCall, "csrf">;
  action: string;
  fields: Readonly<Record<string, string>>;
  label: string;
  /** What it changes, for those who do not see the row that it stands in. */
  about: string;
}

/** A form with a single button about one entry of a list. */
export function OneButton({ call, action, fields, label, about }: OneButtonProps) {
  return (
    <PostForm action={action} csrf={call.csrf}>
      <button type="submit" aria-label={`${label}: ${about}`}>
        {label}
      </button>
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </PostForm>
  );
}
