-- Conversations with a model, each of one person. Messages are kept as text of the JSON that they came as.
create table matriarch.conversations (
  id text primary key,
  user_id integer not null references matriarch.users (id) on delete cascade,
  title text not null,
  preview text not null,
  -- What the person wrote, cut: that is what is searched.
  asked text not null,
  provider text,
  model text,
  connection text,
  messages json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index conversations_newest_idx on matriarch.conversations (user_id, updated_at desc, id);

-- What assistants were asked to remember. Those of scope user go with their person, those of scope system stay.
create table matriarch.memories (
  id serial primary key,
  owner_id integer references matriarch.users (id) on delete cascade,
  -- Who wrote it, as they were called then.
  username text not null,
  scope text not null,
  category text not null,
  content text not null,
  pinned boolean not null,
  model_name text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint memories_scope_known check (scope in ('user', 'system')),
  constraint memories_owner_by_scope check ((owner_id is null) = (scope = 'system'))
);
create index memories_owner_idx on matriarch.memories (owner_id);
