-- When a session was last used, so that it can end when it is not used any more (auth.session_idle_minutes). Null: not since it was opened,
-- or by an older version.
alter table matriarch.sessions add column last_used_at timestamptz;
