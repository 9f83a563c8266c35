import * as z from "zod";
import { projectOf } from "../api/route.js";
import { changeBadge, changeProject, projectSettings, retention } from "../management/projects.js";
import { createWebhook, newWebhookBody, redeliver, removeWebhook } from "../webhooks/manage-webhooks.js";
import { defineAction } from "./page.js";
import { Command } from "./parts/figures.js";
import { settingsPath } from "./parts/paths.js";
import { settingsPage } from "./settings-page.js";

const days = z.coerce.number("Days are whole numbers").pipe(retention);

export const settingsForm = defineAction({
  path: "/p/{project}/settings",
  needs: "project:admin",
  limit: "write",
  page: settingsPage,
  form: z.object({
    "accepts[]": projectSettings.accepts,
    transcript_days: days,
    case_days: days,
    run_days: days,
  }),
  async act(call, { "accepts[]": accepts, ...rest }) {
    await changeProject(call.world, call.caller, projectOf(call), { accepts, ...rest });
    return { to: settingsPath(projectOf(call).name) };
  },
});

export const badgeForm = defineAction({
  path: "/p/{project}/settings/badge",
  needs: "project:admin",
  limit: "write",
  page: settingsPage,
  form: z.object({ action: z.enum(["make", "remove"]) }),
  async act(call, { action }) {
    await changeBadge(call.world, call.caller, projectOf(call), action);
    return { to: settingsPath(projectOf(call).name) };
  },
});

const webhooksPath = "/p/{project}/settings/webhooks";
const shared = { needs: "project:admin", limit: "write", page: settingsPage } as const;

export const newWebhookForm = defineAction({
  ...shared,
  path: webhooksPath,
  form: z.object({
    url: newWebhookBody.shape.url,
    "events[]": newWebhookBody.shape.events
      .default([])
      .refine((chosen) => chosen.length > 0, "Choose at least one event"),
  }),
  async act(call, { url, "events[]": events }) {
    const project = projectOf(call);
    const { secret } = await createWebhook(call.world, call.caller, project, { url, events });
    const body = (
      <>
        <p>
          Give this secret to the receiver now: nobody can see it again. With it, the receiver checks that a message
          comes from this server.
        </p>
        <Command text={secret} />
        <p>
          <a class="button" href={settingsPath(project.name)}>
            Back to the settings
          </a>
        </p>
      </>
    );
    return { title: "Webhook added", body, status: 201 };
  },
});

export const removeWebhookForm = defineAction({
  ...shared,
  path: `${webhooksPath}/remove`,
  form: z.object({ webhook: z.string() }),
  async act(call, { webhook }) {
    const project = projectOf(call);
    await removeWebhook(call.world, call.caller, project, webhook);
    return { to: settingsPath(project.name) };
  },
});

export const redeliverForm = defineAction({
  ...shared,
  path: `${webhooksPath}/redeliver`,
  form: z.object({ webhook: z.string(), delivery: z.string() }),
  async act(call, of) {
    const project = projectOf(call);
    await redeliver(call.world, call.caller, project, of);
    return { to: settingsPath(project.name) };
  },
});
