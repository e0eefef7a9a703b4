// When a request of a data subject has to be answered.

/** Unix milliseconds. */
interface AnswerDates {
  readonly due: number;
  /** If the request is complex and the person was told so. */
  readonly extended: number;
}

/**
 * One month, or three, from the receipt: Article 12(3) of Regulation (EU) 2016/679. The period ends with the day of the
 * same date, or with the last day of the month if there is none: Article 3(2)(c) of Regulation (EEC) 1182/71.
 */
export function answerDates(received: number): AnswerDates {
  return { due: monthsAfter(received, 1), extended: monthsAfter(received, 3) };
}

function monthsAfter(time: number, months: number): number {
  const from = new Date(time);
  const [year, month] = [from.getUTCFullYear(), from.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(from.getUTCDate(), lastDay) + 1) - 1;
}
