// For rules that judge the log: what was counted when there is trouble and when there is none. Guards: the two are as near to the
// threshold as they can be, so that a rule with another threshold, operator or class fails its test.

export interface Logged {
  class: string;
  events: number;
  severity?: string;
  /** Of each, the figure that events of the class have. */
  waited_ms?: number;
}

export interface LogCase {
  bad: Logged;
  good: Logged;
  /** In each hour of the day before. */
  usual?: Logged;
  object?: string;
}

export const more = (name: string, threshold: number, severity = 'LOG'): LogCase => ({
  bad: { class: name, events: threshold + 1, severity },
  good: { class: name, events: threshold, severity },
});
