// What shared tests have to know about requests about persons and companies.

import { answerSubject } from "../../../src/feature/subject/answer-subject.ts";
import { auditSubject } from "../../../src/feature/subject/read-subject.ts";
import type { Samples } from "../sample.ts";
import { testSubjects } from "./find-subject.ts";

const begun = "continues what an action with a right has begun";
const subject = { organizationId: "none", resourceType: "person", resourceId: "none" };
const request = { ...subject, confidential: false };

export const samples: Samples = {
  withoutRight: {
    "subject/read-subject countSubject": begun,
    "subject/read-subject readSubject": begun,
  },
  conformance: [testSubjects],
  rights: {
    "subject.show": (app) => auditSubject(app, "subject.show", request),
    "subject.export": (app) => auditSubject(app, "subject.export", request),
    "subject.answer": (app) => answerSubject(app, { ...request, reason: "r" }),
  },
};
