import type { Child } from "hono/jsx";

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
