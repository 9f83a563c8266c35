import type { Child } from "hono/jsx";
import { renderToString } from "hono/jsx/dom/server";
import { assetPath } from "./assets.js";
import { PostForm } from "./parts/post-form.js";
import type { PageCall, View } from "./page.js";

/** A place in the navigation. */
export interface Tab {
  name: string;
  /** With `{project}` in the tabs of a project. */
  path: string;
}

const isProjectTab = ({ path }: Tab): boolean => path.includes("{project}");
const projectPath = (path: string, name: string): string => path.replace("{project}", encodeURIComponent(name));

function Tabs({ label, tabs, here }: { label: string; tabs: readonly Tab[]; here: string }) {
  return (
    <nav aria-label={label}>
      {tabs.map(({ name, path }) => (
        <a href={path} aria-current={path === here ? "page" : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

function TopBar({ call, tabs }: { call: PageCall; tabs: readonly Tab[] }) {
  const { person, project, path, csrf } = call;
  const own = tabs.filter((tab) => !isProjectTab(tab));
  return (
    <div class="top">
      <a class="brand" href="/">
        KindLM
      </a>
      {person === null ? null : (
        <>
          <Tabs label="Pages" tabs={own} here={project === null ? path : "/"} />
          <div class="person">
            <span class="dim" title={`${person.organization}, ${person.role}`}>
              {person.email}
            </span>
            <PostForm action="/sign-out" csrf={csrf}>
              <button type="submit">Sign out</button>
            </PostForm>
          </div>
        </>
      )}
    </div>
  );
}

function ProjectBar({ name, tabs, here }: { name: string; tabs: readonly Tab[]; here: string }) {
  const own = tabs.filter(isProjectTab).map((tab) => ({ ...tab, path: projectPath(tab.path, name) }));
  return (
    <div class="project">
      <p class="name">
        <a href="/">Projects</a> <span aria-hidden="true">/</span> <b>{name}</b>
      </p>
      <Tabs label={`Project ${name}`} tabs={own} here={here} />
    </div>
  );
}

function Document({ view, call, tabs }: { view: View; call: PageCall; tabs: readonly Tab[] }): Child {
  const { project } = call;
  const names = ["page.css", "page.js", ...(view.assets ?? [])];
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{[view.title, project?.name, "KindLM"].filter((part) => part !== undefined).join(" · ")}</title>
        <link rel="icon" href={assetPath("icon.svg")} type="image/svg+xml" />
        {names.map((name) =>
          name.endsWith(".css") ? (
            <link rel="stylesheet" href={assetPath(name)} />
          ) : (
            <script type="module" src={assetPath(name)} />
          ),
        )}
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header>
          <TopBar call={call} tabs={tabs} />
          {project === null ? null : <ProjectBar name={project.name} tabs={tabs} here={call.path} />}
        </header>
        <main id="content" class={view.isNarrow === true ? "narrow" : undefined}>
          <h1>{view.title}</h1>
          {view.body}
        </main>
      </body>
    </html>
  );
}

/** The document of a page, in the frame that all have. `tabs` are those that the role of the person allows. */
export function renderDocument(view: View, call: PageCall, tabs: readonly Tab[]): string {
  return `<!doctype html>${renderToString(<Document view={view} call={call} tabs={tabs} />)}`;
}
