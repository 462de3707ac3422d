// What a report of npm audit means for what is shipped: advisories of level high or critical fail, unless a list allows them with a reason
// until a date. Pure. Guards: an entry that is over, or fits nothing any more, fails as well, so that the list stays true.
const LEVELS = new Set(['high', 'critical']);

/** Of a package that is affected itself; one that merely needs such a package names it as a text. */
function advisoriesOf({ vulnerabilities }) {
  const found = new Map();
  for (const { via } of Object.values(vulnerabilities))
    for (const one of via) {
      if (typeof one !== 'object' || !LEVELS.has(one.severity)) continue;
      const id = one.url.slice(one.url.lastIndexOf('/') + 1);
      found.set(id, { id, name: one.name, severity: one.severity, title: one.title, url: one.url });
    }
  return [...found.values()];
}

/** Sentences about entries that say too little. */
function faultsOf(allowed) {
  return allowed.flatMap(({ id, reason, until }) => {
    if (!id) return ['An entry of audit-allowed.json has no id, such as GHSA-….'];
    if (!reason) return [`${id} is allowed without a reason.`];
    return /^\d{4}-\d\d-\d\d$/.test(until ?? '')
      ? []
      : [`${id} is allowed without a date: until, as 2027-01-31.`];
  });
}

/**
 * Undefined: the report is none, so nothing was checked. Otherwise what is wrong, in sentences, and which advisories are allowed.
 * `today` as 2026-11-28.
 */
export function judgeAudit(report, { allowed, today }) {
  if (report?.auditReportVersion !== 2) return undefined;
  const advisories = advisoriesOf(report);
  const entries = new Map(allowed.map((entry) => [entry.id, entry]));
  const found = new Set(advisories.map(({ id }) => id));
  const isAllowed = ({ id }) => entries.has(id) && entries.get(id).until >= today;
  const problems = [
    ...faultsOf(allowed),
    ...advisories
      .filter((one) => !isAllowed(one))
      .map(({ id, name, severity, title, url }) => {
        const over = entries.has(id) ? ` It was allowed until ${entries.get(id).until}.` : '';
        return `${name}: ${title} (${severity}, ${url}).${over}`;
      }),
    ...allowed
      .filter(({ id }) => id && !found.has(id))
      .map(({ id }) => `${id} is allowed, and nothing has it any more. Remove the entry.`),
  ];
  return {
    problems,
    allowed: advisories.filter(isAllowed).map(({ id, name }) => `${name}: ${id}, ${entries.get(id).reason}`),
  };
}
