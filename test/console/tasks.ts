// What people do in the console, as data: each task is done by mouse, by keyboard alone, and without JavaScript, except
// where it needs JavaScript.

import { auditTasks } from "./task/audit.ts";
import { deletionTasks } from "./task/deletions.ts";
import { fourEyesTasks } from "./task/four-eyes.ts";
import { intakeTasks } from "./task/intake.ts";
import { organizationTasks } from "./task/organizations.ts";
import { recordTasks } from "./task/records.ts";
import { signInTasks } from "./task/signing-in.ts";
import type { Task } from "./task/task.ts";

export const tasks: readonly Task[] = [
  ...signInTasks,
  ...deletionTasks,
  ...fourEyesTasks,
  ...recordTasks,
  ...organizationTasks,
  ...intakeTasks,
  ...auditTasks,
];
