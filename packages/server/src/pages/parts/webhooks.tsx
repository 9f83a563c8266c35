import { projectOf } from "../../api/route.js";
import { listNewestDeliveries, listWebhooks } from "../../webhooks/manage-webhooks.js";
import { webhookEvents } from "../../webhooks/run-events.js";
import type { PageCall } from "../page.js";
import { Choice } from "./choice.js";
import { Field, Problem } from "./field.js";
import { Time } from "./figures.js";
import { Name } from "./names.js";
import { OneButton, PostForm } from "./post-form.js";

const mostDeliveries = 10;

type Webhook = Awaited<ReturnType<typeof listWebhooks>>[number];
type Delivery = Awaited<ReturnType<typeof listNewestDeliveries>>[number];

const eventWords: Readonly<Record<(typeof webhookEvents)[number], string>> = {
  "run.completed": "a run was uploaded",
  "run.failed": "its verdict is failed",
  "run.regressed": "it is worse than its baseline or the run before",
  "case.flaky": "cases began to vary",
};

interface SectionProps {
  call: PageCall;
  /** Of the forms. */
  path: string;
}

function State({ delivery }: { delivery: Delivery | undefined }) {
  if (delivery === undefined) return <span class="dim">nothing sent yet</span>;
  const { state, problem, next_ms } = delivery;
  return (
    <>
      <span class={{ delivered: "passed", failed: "failed", waiting: "dim" }[state]}>{state}</span>
      {problem === null ? null : <span class="meta note">{problem}</span>}
      {next_ms === null || problem === null ? null : (
        <span class="meta note">
          Next try <Time ms={next_ms} />
        </span>
      )}
    </>
  );
}

function WebhookRow({
  call,
  path,
  webhook: { id, url, events },
  newest,
}: SectionProps & { webhook: Webhook; newest: Delivery | undefined }) {
  return (
    <tr>
      <th scope="row" class="main">
        <Name text={url} />
      </th>
      <td data-label="Events">
        {events.map((event) => (
          <span class="badge code">{event}</span>
        ))}
      </td>
      <td data-label="Newest">
        <State delivery={newest} />
      </td>
      <td class="figure">
        <OneButton call={call} action={`${path}/remove`} fields={{ webhook: id }} label="Remove" about={url} />
      </td>
    </tr>
  );
}

function DeliveryRow({ call, path, delivery, url }: SectionProps & { delivery: Delivery; url: string }) {
  const { id, event, webhook_id: webhook, created_ms, state, tries } = delivery;
  const isNew = state === "waiting" && tries === 0;
  return (
    <tr>
      <th scope="row" class="main">
        <span class="badge code">{event}</span>
      </th>
      <td data-label="To">
        <Name text={url} />
      </td>
      <td data-label="Queued">
        <Time ms={created_ms} />
      </td>
      <td data-label="State">
        <State delivery={delivery} />
      </td>
      <td class="figure">
        {isNew ? null : (
          <OneButton
            call={call}
            action={`${path}/redeliver`}
            fields={{ webhook, delivery: String(id) }}
            label="Send again"
            about={`${event} to ${url}`}
          />
        )}
      </td>
    </tr>
  );
}

function Table({ label, columns, rows }: { label: string; columns: readonly string[]; rows: readonly unknown[] }) {
  return (
    <div class="wide" tabindex={0} role="region" aria-label={label}>
      <table class="list">
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col">{column}</th>
            ))}
            <td />
          </tr>
        </thead>
        <tbody>{rows}</tbody>
      </table>
    </div>
  );
}

function NewWebhook({ call, path }: SectionProps) {
  return (
    <PostForm action={path} csrf={call.csrf} class="card">
      <h3>Add a webhook</h3>
      <Problem call={call} />
      <Field
        call={call}
        label="Address"
        name="url"
        type="url"
        hint={
          call.world.allowsPrivateWebhooks
            ? "It receives a message for each event"
            : "A public one that begins with https://"
        }
        more={{ maxlength: 2_000 }}
      />
      <fieldset>
        <legend>It receives</legend>
        {webhookEvents.map((event) => (
          <Choice
            call={call}
            name="events[]"
            value={event}
            label={event}
            hint={eventWords[event]}
            isChosen={event === "run.failed"}
          />
        ))}
      </fieldset>
      <button type="submit">Add the webhook</button>
    </PostForm>
  );
}

/** The webhooks of the project, what was sent to them last, and a form for a new one. */
export async function Webhooks({ call, path }: SectionProps) {
  const project = projectOf(call);
  const webhooks = await listWebhooks(call.world, project);
  const deliveries = await listNewestDeliveries(call.world, project, mostDeliveries);
  const urls = new Map(webhooks.map(({ id, url }) => [id, url]));
  const newest = new Map(deliveries.toReversed().map((delivery) => [delivery.webhook_id, delivery]));
  return (
    <section>
      <h2>Webhooks</h2>
      {webhooks.length === 0 ? null : (
        <Table
          label="Webhooks"
          columns={["Address", "Events", "Newest delivery"]}
          rows={webhooks.map((webhook) => (
            <WebhookRow call={call} path={path} webhook={webhook} newest={newest.get(webhook.id)} />
          ))}
        />
      )}
      {deliveries.length === 0 ? null : (
        <>
          <h3>Newest deliveries</h3>
          <Table
            label="Newest deliveries"
            columns={["Event", "To", "Queued", "State"]}
            rows={deliveries.slice(0, mostDeliveries).map((delivery) => (
              <DeliveryRow call={call} path={path} delivery={delivery} url={urls.get(delivery.webhook_id) ?? ""} />
            ))}
          />
        </>
      )}
      <NewWebhook call={call} path={path} />
    </section>
  );
}
