import type { Route } from "../route.js";
import { approveDevice, exchangeDevice, setUp, startDevice } from "./auth-routes.js";
import { listCases, showRun, showTranscripts } from "./case-routes.js";
import { listBaselines, putBaseline, showBaseline } from "./baseline-routes.js";
import { compare, flaky, listRuns, trends } from "./history-routes.js";
import { audit, listTokens, me, newToken, revokeToken } from "./management-routes.js";
import { exportPdf } from "./pdf-routes.js";
import { deleteProject, listProjects, newProject, patchProject, showProject } from "./project-routes.js";
import { addTrust, exchangeIdToken, listTrusts, removeTrust } from "./trust-routes.js";
import { addWebhook, listDeliveries, listWebhooks, redeliver, removeWebhook } from "./webhook-routes.js";
import { completeRun, putPart, putRun } from "./upload-routes.js";

/** Every route of the API, in the order of its description. */
export const routes: readonly Route[] = [
  putRun,
  putPart,
  completeRun,
  listRuns,
  showRun,
  listCases,
  showTranscripts,
  compare,
  trends,
  flaky,
  exportPdf,
  newProject,
  listProjects,
  showProject,
  patchProject,
  deleteProject,
  newToken,
  listTokens,
  revokeToken,
  audit,
  me,
  setUp,
  startDevice,
  approveDevice,
  exchangeDevice,
  exchangeIdToken,
  addTrust,
  listTrusts,
  removeTrust,
  putBaseline,
  listBaselines,
  showBaseline,
  addWebhook,
  listWebhooks,
  removeWebhook,
  listDeliveries,
  redeliver,
];
