import type { ComponentProps } from 'react'

const styles = {
  primary: 'bg-accent text-on-accent hover:brightness-110',
  up: 'bg-up-solid text-on-accent hover:brightness-110',
  down: 'bg-down-solid text-on-accent hover:brightness-110',
  plain: 'bg-raised text-ink border border-line-strong hover:bg-line',
  ghost: 'text-muted hover:text-ink hover:bg-raised',
} as const

const sizes = {
  sm: 'h-7 px-2.5 text-xs gap-1.5',
  md: 'h-9 px-3.5 text-sm gap-2',
  lg: 'h-11 px-5 text-base gap-2',
} as const

interface Look {
  kind?: keyof typeof styles
  size?: keyof typeof sizes
}

export const buttonClass = ({ kind = 'plain', size = 'md' }: Look = {}) =>
  `inline-flex items-center justify-center whitespace-nowrap rounded-md font-semibold transition-[background-color,filter,color] duration-150 disabled:opacity-60 disabled:hover:brightness-100 ${styles[kind]} ${sizes[size]}`

export function Button({ kind, size, className = '', type = 'button', ...rest }: ComponentProps<'button'> & Look) {
  return (
    <button
      type={type}
      className={`${buttonClass({ ...(kind && { kind }), ...(size && { size }) })} ${className}`}
      {...rest}
    />
  )
}
