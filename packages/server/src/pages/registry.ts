import { auditPage } from "./audit-page.js";
import { comparePage } from "./compare-page.js";
import { device, deviceForm } from "./device-page.js";
import { findRunPage } from "./find-run-page.js";
import { flakyPage } from "./flaky-page.js";
import { home, newProjectForm, signOutForm } from "./home-page.js";
import { joinForm, joinPage } from "./join-page.js";
import { login, loginForm } from "./login-page.js";
import { oidcCallback, oidcStart } from "./oidc-pages.js";
import type { Action, Page } from "./page.js";
import { inviteForm, removeForm, resetForm, roleForm, withdrawForm } from "./people-forms.js";
import { peoplePage } from "./people-page.js";
import { reportCase, reportIndex } from "./report-data.js";
import { runPage } from "./run-page.js";
import { runsPage } from "./runs-page.js";
import { badgeForm, newWebhookForm, redeliverForm, removeWebhookForm, settingsForm } from "./settings-forms.js";
import { settingsPage } from "./settings-page.js";
import { setup, setupForm } from "./setup-page.js";
import { newTokenForm, revokeTokenForm, tokensPage } from "./tokens-page.js";
import { trendsPage } from "./trends-page.js";

/** Every page. Those with a tab are in the navigation, in this order. */
export const pages: readonly Page[] = [
  home,
  runsPage,
  runPage,
  trendsPage,
  flakyPage,
  comparePage,
  settingsPage,
  tokensPage,
  peoplePage,
  auditPage,
  reportIndex,
  reportCase,
  findRunPage,
  device,
  login,
  oidcStart,
  oidcCallback,
  joinPage,
  setup,
];

/** What the forms of the pages do. */
export const actions: readonly Action[] = [
  newProjectForm,
  settingsForm,
  badgeForm,
  newWebhookForm,
  removeWebhookForm,
  redeliverForm,
  newTokenForm,
  revokeTokenForm,
  inviteForm,
  withdrawForm,
  roleForm,
  resetForm,
  removeForm,
  deviceForm,
  loginForm,
  signOutForm,
  joinForm,
  setupForm,
];
