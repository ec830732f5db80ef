import { isAddress } from '@slipway/sdk'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { Icon } from '../components/icon.tsx'
import { Failure } from '../components/states.tsx'
import { useRecentSearches } from '../data/recent-searches.ts'
import { search, useSearch, useTrending } from '../data/use-search.ts'
import {
  type SearchOption,
  type SearchSection,
  toAddressOption,
  toOptions,
  toRecentOptions,
  toTokenOption,
} from './search-options.tsx'

/** Finds tokens and wallets while one types, and shows the last choices and what is trending before. The slash key leads here from anywhere. */
export function SearchBox() {
  const listId = useId()
  const navigate = useNavigate()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState(0)
  const { data, failure, refetch, isFetching, isOutdated, wanted } = useSearch(text)
  /** The text whose answer Enter waits for. */
  const awaited = useRef<string | null>(null)
  const recent = useRecentSearches()

  useEffect(() => {
    const focus = (event: globalThis.KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select')
      if (event.key !== '/' || isTyping || event.metaKey || event.ctrlKey) return
      event.preventDefault()
      input.current?.focus()
    }
    document.addEventListener('keydown', focus)
    return () => document.removeEventListener('keydown', focus)
  }, [])

  const isEmpty = wanted === '' && text.trim() === ''
  const trending = useTrending(isOpen && isEmpty)
  const sections: readonly SearchSection[] = isEmpty
    ? [
        { label: 'Recent searches', options: toRecentOptions(recent.entries) },
        { label: 'Trending', options: trending.map(toTokenOption) },
      ]
    : [{ label: 'Results', options: wanted === '' || !data ? [] : toOptions(data) }]
  const options = sections.flatMap((section) => section.options)
  const close = () => {
    awaited.current = null
    setOpen(false)
    setActive(0)
  }
  const choose = (option: SearchOption | undefined) => {
    if (!option) return
    const { entry } = option
    if (!entry) return recent.clear()
    recent.add(entry)
    const { kind, address } = entry
    if (kind === 'token') void navigate({ to: '/token/$address', params: { address } })
    else void navigate({ to: '/profile/$wallet', params: { wallet: address } })
    setText('')
    close()
    input.current?.blur()
  }
  /** The options that are shown may be those of a former text. */
  const enter = async () => {
    const typed = text.trim()
    if (typed === '' ? isEmpty : !isOutdated && data) return choose(options[active])
    if (typed === '') return
    awaited.current = typed
    const found = await search(typed).then(toOptions, () => [])
    if (awaited.current !== typed) return
    choose(found[active] ?? found[0] ?? (isAddress(typed) ? toAddressOption(typed) : undefined))
  }
  const handleKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close()
    if (event.key === 'Enter') void enter()
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0 || options.length === 0) return
    event.preventDefault()
    setActive((active + step + options.length) % options.length)
  }
  const isShown = isOpen && (isEmpty ? options.length > 0 : wanted !== '' && data !== undefined)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the focus leaves any of its elements
    <div
      onBlur={({ currentTarget, relatedTarget }) => {
        // The failure has a button.
        if (!currentTarget.contains(relatedTarget)) close()
      }}
      className="relative ml-auto min-w-40 flex-1 max-sm:order-last max-sm:basis-full sm:max-w-72 lg:max-w-80"
    >
      <Icon name="search" className="pointer-events-none absolute left-3 top-2.5 size-4 text-faint" />
      <input
        ref={input}
        type="search"
        dir="auto"
        role="combobox"
        aria-label="Search tokens and wallets"
        aria-expanded={isShown}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={isShown && options[active] ? `${listId}-${active}` : undefined}
        placeholder="Search"
        value={text}
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => {
          awaited.current = null
          setText(event.target.value)
          setActive(0)
          setOpen(true)
        }}
        onFocus={() => setOpen(true)}
        onKeyDown={handleKey}
        className="field h-9 pl-9"
      />
      <span
        aria-hidden="true"
        className="pointer-events-none absolute right-2.5 top-2 hidden rounded border border-line-strong px-1.5 font-sans text-2xs text-faint lg:block"
      >
        /
      </span>
      {isOpen && failure && !data && (
        // biome-ignore lint/a11y/noStaticElementInteractions: the field keeps the focus
        <div
          className="panel absolute left-0 top-11 z-40 w-80 min-w-full max-w-[calc(100vw-1.5rem)] shadow-(--shadow)"
          onMouseDown={(event) => event.preventDefault()}
        >
          <Failure error={failure} retry={() => void refetch()} />
        </div>
      )}
      <div
        id={listId}
        role="listbox"
        aria-label={isEmpty ? 'Suggestions' : 'Results'}
        aria-busy={isFetching}
        className={`panel absolute left-0 top-11 z-40 w-80 min-w-full max-w-[calc(100vw-1.5rem)] max-h-96 overflow-y-auto p-1.5 shadow-(--shadow) ${isShown ? '' : 'hidden'}`}
      >
        {isShown && options.length === 0 && (
          <div role="option" aria-selected="false" aria-disabled="true" tabIndex={-1} className="px-3 py-4 text-muted">
            Nothing is called “{wanted}”.
          </div>
        )}
        {isShown &&
          sections.map(
            ({ label, options: own }) =>
              own.length > 0 && (
                // biome-ignore lint/a11y/useSemanticElements: a list box has groups, not field sets
                <div key={label} role="group" aria-label={label}>
                  {isEmpty && (
                    <p aria-hidden="true" className="px-2 pt-1.5 pb-1 text-2xs font-semibold text-faint">
                      {label}
                    </p>
                  )}
                  {own.map((option) => {
                    const index = options.indexOf(option)
                    return (
                      // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys of its options
                      <div
                        key={option.key}
                        id={`${listId}-${index}`}
                        role="option"
                        tabIndex={-1}
                        aria-selected={index === active}
                        onMouseDown={(event) => event.preventDefault()}
                        onMouseEnter={() => setActive(index)}
                        onClick={() => choose(option)}
                        className="flex cursor-pointer items-center gap-2.5 rounded-md px-2 py-1.5 aria-selected:bg-raised"
                      >
                        {option.content}
                      </div>
                    )
                  })}
                </div>
              ),
          )}
      </div>
    </div>
  )
}
