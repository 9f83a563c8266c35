import type { ApiError } from "../api/api-error.js";
import type { View } from "./page.js";

const titles: Readonly<Record<number, string>> = {
  403: "Not allowed",
  404: "Not found",
  429: "Too many requests",
  503: "Not available",
};

const hints: Readonly<Record<number, string>> = {
  404: "It does not exist, or your organization does not have it.",
  429: "Wait a minute, and try again.",
  500: "The log of the server has the reason.",
  503: "Try again in a moment.",
};

/** What people see of an error. */
export function problemPage({ status, message, details, headers }: ApiError): View {
  const scope = details["required_scope"];
  const text = typeof scope === "string" ? `Your role does not allow this. It needs ${scope}.` : `${message}.`;
  const body = (
    <>
      <p class="lead">{text}</p>
      {hints[status] === undefined ? null : <p class="dim">{hints[status]}</p>}
      <p>
        <a class="button" href="/">
          Go to the projects
        </a>
      </p>
    </>
  );
  return { title: titles[status] ?? "Something went wrong", status, headers, body, isNarrow: true };
}
