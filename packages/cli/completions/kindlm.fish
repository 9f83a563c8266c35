# Completion of kindlm for fish: kindlm completion fish > ~/.config/fish/completions/kindlm.fish

# The program that the typed command would run.
function __kindlm_program
    switch $argv[1]
        case npx bunx
            set -l folder $PWD
            while not test -x "$folder/node_modules/.bin/kindlm"
                test "$folder" = / -o "$folder" = ""; and return 1
                set folder (string replace -r '/[^/]*$' '' -- $folder)
            end
            printf '%s\n' "$folder/node_modules/.bin/kindlm"
        case '*/*'
            printf '%s\n' (string replace -r '^~/' "$HOME/" -- $argv[1])
        case '*'
            type -fp -- $argv[1]
    end
end

function __kindlm_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program (__kindlm_program $words[1]); or return
    set -l typed (string unescape -- $current 2>/dev/null; or string replace -r '^["\']' '' -- $current)
    # Each line after the first is a candidate, a tab, and what it is. The first says what to do.
    set -l lines ($program __complete fish $words "$typed" 2>/dev/null </dev/null)
    switch "$lines[1]"
        case files
            set -l before (string match -r '^.*=' -- $typed)
            for path in (__fish_complete_path (string replace -r '^.*=' '' -- $typed))
                printf '%s%s\n' "$before" $path
            end
        case folders
            __fish_complete_directories $typed
        case '*'
            printf '%s\n' $lines[2..-1]
    end
end

complete -c kindlm -f -a '(__kindlm_complete)'
complete -c npx -n '__fish_seen_subcommand_from kindlm @kindlm/cli' -f -a '(__kindlm_complete)'
complete -c bunx -n '__fish_seen_subcommand_from kindlm @kindlm/cli' -f -a '(__kindlm_complete)'
