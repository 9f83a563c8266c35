import * as z from "zod";
import { noteAction } from "../auth/audit.js";
import { decideDevice, findDevice } from "../auth/device-codes.js";
import { scopesOf } from "../auth/roles.js";
import { tokenDays } from "../auth/tokens.js";
import { unauthorized } from "../api/api-error.js";
import { defineAction, definePage, type PageCall, type View } from "./page.js";
import { Field, Problem } from "./parts/field.js";
import { Time } from "./parts/figures.js";
import { PostForm } from "./parts/post-form.js";
import { scopeWords } from "./parts/scope-words.js";

function askForCode(call: PageCall): View {
  const body = (
    <form method="get" action="/device" class="card">
      <Problem call={call} />
      <Field
        call={call}
        label="Code"
        name="code"
        hint="kindlm login shows it, such as WDJB-MJHT"
        more={{ autocapitalize: "characters", spellcheck: "false", maxlength: 20 }}
      />
      <button type="submit" class="primary">
        Continue
      </button>
    </form>
  );
  return { title: "Log in a command line", body, isNarrow: true, ...(call.problem === null ? {} : { status: 404 }) };
}

async function askForConsent(call: PageCall, typed: string): Promise<View> {
  const { code, askedMs } = await findDevice(call.world, typed);
  const role = call.person?.role ?? "";
  const body = (
    <>
      <p>
        A command line asks to act as <b>{call.person?.email}</b>. It showed this code:
      </p>
      <p class="code user-code">{code}</p>
      <div class="card">
        <p>
          Asked <Time ms={askedMs} />. For {tokenDays} days, it may:
        </p>
        <ul>
          {scopesOf(role).map((scope) => (
            <li>{scopeWords[scope]}</li>
          ))}
        </ul>
        <p class="meta">Approve it only if you have just run kindlm login and see the same code there.</p>
        <PostForm action="/device" csrf={call.csrf} class="buttons">
          <button type="submit" class="primary" name="decision" value="approved">
            Approve
          </button>
          <button type="submit" name="decision" value="denied">
            Deny
          </button>
          <input type="hidden" name="code" value={code} />
        </PostForm>
      </div>
    </>
  );
  return { title: "Log in a command line", body, isNarrow: true };
}

export const device = definePage({
  path: "/device",
  needs: "any",
  async render(call) {
    const { code = "" } = call.query;
    if (code === "" || call.problem !== null) return askForCode(call);
    try {
      return await askForConsent(call, code);
    } catch {
      const problem = "No login waits with this code. It may have expired: run kindlm login again";
      return askForCode({ ...call, problem, sent: { code } });
    }
  },
});

export const deviceForm = defineAction({
  path: "/device",
  needs: "any",
  limit: "login",
  page: device,
  form: z.object({ code: z.string().max(20), decision: z.enum(["approved", "denied"]) }),
  async act({ world, person }, { code, decision }) {
    if (person === null) throw unauthorized();
    const { userId, caller } = person;
    await decideDevice(world, { orgId: caller.orgId, userId }, code, decision);
    await noteAction(world, caller, `login.${decision}`, userId);
    const text =
      decision === "approved"
        ? "Approved. You can close this page: the command line goes on by itself."
        : "Denied. The command line has no access.";
    return {
      title: decision === "approved" ? "Logged in" : "Denied",
      body: <p class="lead">{text}</p>,
      isNarrow: true,
    };
  },
});
