// What a report calls what happened on a server, in mails and on the page. Pure.
export const HAPPENED_WORDS = {
  role_change: 'Failover',
  restart: 'Restart',
  deadlocks: 'Deadlocks',
  lock_wait: 'Lock wait',
  index_dropped: 'Dropped index',
  slower_statement: 'Slower statement',
  growth: 'Growth',
  alert: 'Alert',
} as const;
